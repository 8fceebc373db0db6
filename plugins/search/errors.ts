import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  FIND_EMPTY: {
    exit: 2,
    text: () => "There is nothing to search for: give a word or more, as in `scorel search discount`.",
  },
  FIND_LONG: {
    exit: 2,
    text: (a: { length: number; limit: number }) =>
      `The text to search for has ${a.length} characters, more than ${a.limit}. Give a part of it.`,
  },
  FIND_LIMIT: {
    exit: 2,
    text: (a: { value: string; max: number }) =>
      `--limit ${a.value} is no whole number from 1 to ${a.max}. Give one, or leave it out.`,
  },
  FIND_SINCE: {
    exit: 2,
    text: (a: { value: string }) =>
      `--since ${a.value} is no time. Give a number of days, hours or weeks as in 7d, 12h or 2w, or a day as in 2026-11-01.`,
  },
  FIND_NO_HOST: {
    exit: 2,
    text: () => 'This command needs sessions to look at. Take "host" out of "without" in the preset.',
  },
  FIND_NO_PROJECTS: {
    exit: 2,
    text: () => 'Nothing here knows projects. Add "projects" to "use" in the preset, or leave out the project.',
  },
  FIND_FAILED: (a: { directory: string; reason: string }) =>
    `The sessions in ${a.directory} could not be searched: ${a.reason}.`,
});
