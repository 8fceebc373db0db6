import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MENTIONS_LISTING: (a: { directory: string; reason: string }) =>
    `The files of ${a.directory} cannot be listed: ${a.reason}. Name a file by its whole path instead.`,
  MENTIONS_NONE: (a: { path: string }) => `There is no file ${a.path} in this project.`,
  MENTIONS_SOURCE: (a: { plugin: string }) =>
    `What plugin "${a.plugin}" contributes as "mentionSources" is left out in part: each needs the functions "takes" and "attach", and may have "suggest", which answers texts.`,
  MENTIONS_OUTSIDE: (a: { path: string }) =>
    `${a.path} is not in this session's project. Only files of the project are shown.`,
  MENTIONS_CLOSED: (a: { path: string; why: string }) => `${a.path} is not shown: ${a.why}.`,
});
