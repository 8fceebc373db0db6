import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MENTIONS_LISTING: (a: { directory: string; reason: string }) =>
    `The files of ${a.directory} cannot be listed: ${a.reason}. Name a file by its whole path instead.`,
});
