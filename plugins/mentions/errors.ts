import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MENTIONS_LISTING: (a: { directory: string; reason: string }) =>
    `The files of ${a.directory} cannot be listed: ${a.reason}. Use the full path of a file instead.`,
  MENTIONS_NONE: (a: { path: string }) => `There is no file ${a.path} in this project.`,
  MENTIONS_SOURCE: (a: { plugin: string }) =>
    `A part of "mentionSources" of plugin "${a.plugin}" is left out: each source needs the functions "takes" and "attach", and may have "suggest", which returns strings.`,
  MENTIONS_OUTSIDE: (a: { path: string }) =>
    `${a.path} is not in this session's project. Only files of the project are shown.`,
  MENTIONS_CLOSED: (a: { path: string; why: string }) => `${a.path} is not shown: ${a.why}.`,
});
