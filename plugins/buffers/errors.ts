import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  BUFFERS_CLOSED: (a: { requestId: string }) =>
    `Nobody waits for an answer of this client to the request ${a.requestId}: it was answered, took too long, or another client was asked.`,
  BUFFERS_LATE: (a: { seconds: number }) =>
    `The editor did not say within ${a.seconds} s what a file contains, so tools use what is saved on the disk until the session is opened there again.`,
  BUFFERS_FAILED: (a: { path: string; reason: string }) =>
    `The editor could not save ${a.path} (${a.reason}), so it was written to the disk.`,
});
