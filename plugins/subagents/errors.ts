import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SUBAGENT_CANCELLED: (a: { sessionId: string }) =>
    `Somebody cancelled the subagent (session ${a.sessionId}) before its work was done. Ask the user how to go on.`,
  SUBAGENT_FAILED: (a: { sessionId: string; reason: string }) =>
    `The subagent (session ${a.sessionId}) failed: ${a.reason}`,
  SUBAGENT_SILENT: (a: { sessionId: string }) =>
    `The subagent (session ${a.sessionId}) ended without a report. Do the work yourself, or ask for a report in the prompt.`,
});
