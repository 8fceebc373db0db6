import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  STORE_WRITE: (a: { path: string; reason: string }) =>
    `The log ${a.path} could not be written (${a.reason}). Its earlier records are intact, but the new ones were not added; free space or fix the permission and try again.`,
  STORE_READ: (a: { path: string; reason: string }) =>
    `The log ${a.path} could not be read (${a.reason}). Nothing was changed; check the disk and the file's owner and mode, then try again.`,
  STORE_OPEN: (a: { path: string; reason: string }) =>
    `The log ${a.path} could not be opened for writing (${a.reason}). Nothing was lost; free space or fix the permission and try again. \`scorel session show\` can still show it.`,
  STORE_SYNC: (a: { path: string; reason: string }) =>
    `The log ${a.path} was written, but the disk did not confirm it (${a.reason}): a power failure now could lose the latest events. Check the disk; all messages are in the log and need not be sent again.`,
  STORE_GONE: (a: { path: string; copy?: string }) =>
    `The log ${a.path} was deleted or replaced while it was open, so nothing more was recorded.${a.copy === undefined ? "" : ` Until this process ends its bytes can be copied from ${a.copy}.`} Put the file back and open the session again, or start a new one.`,
  STORE_MOVED: (a: { path: string; to?: string }) =>
    `The log ${a.path} was moved${a.to === undefined ? "" : ` to ${a.to}`}, or another file took its place, while it was open, so nothing more was recorded. Move it back to continue here, or open the session again.`,
  STORE_CHANGED: (a: { path: string; bytes: number }) =>
    a.bytes < 0
      ? `The log ${a.path} lost its last ${-a.bytes} bytes while it was open, so nothing more was recorded. Open the session again: it continues with what is left and reports what was lost; or restore the file from a copy first.`
      : `Another program wrote ${a.bytes} bytes to the log ${a.path} while it was open, so nothing more was recorded. End that program and open the session again.`,
  STORE_HEADER: (a: { path: string; reason: string }) =>
    `${a.path} is not a session log: ${a.reason}. It was not changed; restore it from a copy, or move it away to stop this message.`,
  STORE_READ_ONLY: (a: { path: string; reason: string }) => `The log ${a.path} is open for reading only: ${a.reason}.`,
});
