import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  BUFFERS_CLOSED: (a: { requestId: string }) =>
    `The request ${a.requestId} no longer waits for an answer from this client: it was answered, took too long, or another client was asked.`,
  BUFFERS_LATE: (a: { seconds: number }) =>
    `The editor did not send the content of a file within ${a.seconds} s, so tools use what is saved on disk until the session is opened there again.`,
  BUFFERS_FAILED: (a: { path: string; reason: string }) =>
    `The editor could not save ${a.path} (${a.reason}), so it was written to disk.`,
});
