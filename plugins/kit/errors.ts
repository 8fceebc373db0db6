import { defineErrors } from "./values/coded-error.ts";

export const errors = defineErrors({
  RIPGREP_START: (a: { reason: string }) => `ripgrep did not start (${a.reason})`,
  CONFIG_HOME: {
    exit: 2,
    text: (a: { reason: string }) =>
      `There is no home directory to keep ~/.scorel in: ${a.reason}. Set HOME to the full path of a directory that you own.`,
  },
  EVENT_DISPLAY: (a: { type: string; missing?: string; display?: string; near?: string }) =>
    `convertToDisplay of "${a.type}" returned ${a.missing === undefined ? "no display action" : `a display action without ${a.missing}`}${a.display === undefined ? "" : `: there is no display "${a.display}"`}${a.near === undefined ? "." : `. Did you mean "${a.near}"?`} docs/reference/plugin-api.md lists the forms that clients can draw, as DisplayAction.`,
  EXECUTOR_LATE: (a: { plugin: string; method: string; limit: number }) =>
    `Plugin "${a.plugin}" did not answer ${a.method} within ${a.limit / 1000} s; it is unknown whether the call still has an effect. Try again, and if that fails, too, tell the user.`,
  EXECUTOR_ANSWER: (a: { plugin: string; method: string; wanted: string }) =>
    `Plugin "${a.plugin}" answered ${a.method} wrongly: the answer must be ${a.wanted}. Report it to the plugin's author.`,
  EXECUTOR_FAILED: (a: { plugin: string; method: string; reason: string }) =>
    `Plugin "${a.plugin}" failed in ${a.method}: ${a.reason}`,
  MESSAGE_ID_REUSED: (a: { operation: string; messageId: string }) =>
    `The messageId ${JSON.stringify(a.messageId)} was already used for another "${a.operation}" in this session, so nothing was done. Use a new id for a new request, and the same id only to repeat one.`,
  EXTENSION_FOLDER: (a: { path: string; reason: string; command: string }) =>
    `${a.path} ${a.reason}, so nothing is loaded from it. If it is yours, run: ${a.command}`,
  QUESTION_STOPPED: { exit: 130, text: () => "Stopped before the question was answered." },
  STATE_FOLDER: (a: { path: string; reason: string; command: string }) =>
    `${a.path} ${a.reason}, so nothing in it is read, written or deleted. If it is yours, run: ${a.command}`,
  STATE_NEW: (a: { path: string; reason: string }) =>
    `The folder ${a.path} cannot be made: ${a.reason}. Let yourself write in the folder above it, or set HOME to a directory that you own.`,
  TRUST_COPY: {
    exit: 2,
    text: (a: { folder: string; reason: string }) =>
      `Trusted files could not be copied to ${a.folder}: ${a.reason}. None of them is used. Free space there, or give Scorel write access, and try again.`,
  },
  TEMPORARY_FOLDER: (a: { path: string; reason: string }) =>
    `The folder for temporary files, TMPDIR=${a.path}, cannot be used (${a.reason}). Set TMPDIR to a folder that exists and that you can write to.`,
});
