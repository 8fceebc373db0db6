import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  BLOB_WRITE: (a: { path: string; reason: string }) =>
    `${a.path} could not be written (${a.reason}), so the content was not stored. Free space, or fix the folder's owner and mode.`,
  BLOB_READ: (a: { path: string; reason: string }) =>
    `${a.path} could not be read (${a.reason}). Check the file's owner and mode.`,
  BLOB_DAMAGED: (a: { path: string }) =>
    `${a.path} is damaged: its content does not match the hash in its name. Delete it, or restore it from a backup.`,
  BLOBS_UNREADABLE: (a: { path: string; reason: string }) =>
    `${a.path} could not be read (${a.reason}), so the blobs that it refers to are unknown. Nothing was removed; fix its owner and mode, or move it away.`,
});
