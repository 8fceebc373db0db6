import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  FIND_EMPTY: {
    exit: 2,
    text: () => "There is nothing to search for: specify at least one word, as in `scorel search discount`.",
  },
  FIND_LONG: {
    exit: 2,
    text: (a: { length: number; limit: number }) =>
      `The text to search for has ${a.length} characters, more than ${a.limit}. Use a part of it.`,
  },
  FIND_LIMIT: {
    exit: 2,
    text: (a: { value: string; max: number }) => `--limit takes a whole number from 1 to ${a.max}, not "${a.value}".`,
  },
  FIND_SINCE: {
    exit: 2,
    text: (a: { value: string }) => `--since takes a time such as 7d, 12h, 2w or 2026-11-01, not "${a.value}".`,
  },
  FIND_NO_HOST: {
    exit: 2,
    text: () => 'This command needs sessions to look at. Remove "host" from "without" in the preset.',
  },
  FIND_NO_PROJECTS: {
    exit: 2,
    text: () => 'This preset has no projects. Add "projects" to "use" in the preset, or leave out the project.',
  },
  FIND_FAILED: (a: { directory: string; reason: string }) =>
    `The sessions in ${a.directory} could not be searched: ${a.reason}.`,
});
