import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  TEMPORARY_FOLDER: (a: { path: string; reason: string }) =>
    `The folder for temporary files, TMPDIR=${a.path}, cannot be used (${a.reason}). Set TMPDIR to a folder that exists and that you can write to.`,
});
