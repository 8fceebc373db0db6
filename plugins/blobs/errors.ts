import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  BLOB_WRITE: (a: { path: string; reason: string }) =>
    `${a.path} could not be written (${a.reason}), so the content was not kept. Free space, or fix the folder's owner and mode.`,
  BLOB_READ: (a: { path: string; reason: string }) =>
    `${a.path} could not be read (${a.reason}). Check the file's owner and mode.`,
  BLOB_DAMAGED: (a: { path: string }) =>
    `${a.path} does not hold what its name says, so it was not used. Delete it, or restore it from a copy.`,
  BLOBS_UNREADABLE: (a: { path: string; reason: string }) =>
    `${a.path} could not be read (${a.reason}), so it is not known which blobs it refers to. Nothing was removed; fix its owner and mode, or move it away.`,
});
