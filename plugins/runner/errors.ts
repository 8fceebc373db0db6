import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  RUN_ARGUMENTS: {
    exit: 2,
    text: () => "skill and command are required: pass the name of a skill and a command to run in it.",
  },
  RUN_NO_SKILLS: () => "Skills cannot be run: the plugin `skills` is not loaded.",
  RUN_NO_SANDBOX: () => "executor is not configured: the plugin `sandbox` is not loaded, so nothing was run.",
  RUN_PATH: {
    exit: 2,
    text: (a: { what: string; path: string; reason: string }) =>
      `${a.what} ${JSON.stringify(a.path)} cannot be used: ${a.reason}.`,
  },
  RUN_INPUT: { exit: 2, text: (a: { from: string; reason: string }) => `unsupported input: ${a.from}: ${a.reason}.` },
  RUN_REF: (a: { ref: string; reason: string }) => `${a.ref} cannot be read: ${a.reason}.`,
  RUN_STAGE: (a: { skill: string; path: string; reason: string }) =>
    `The skill ${a.skill} cannot be copied into a workspace: ${a.path}: ${a.reason}.`,
  RUN_DISK: (a: { reason: string }) =>
    `The workspace could not be prepared, so nothing was run: ${a.reason}. Free space in ~/.scorel/workspaces or fix the named path, then try again.`,
  RUN_UNKNOWN: (a: { run: string }) => `There is no running program ${a.run}, or its result was already reported.`,
  RUN_OUT: {
    exit: 2,
    text: (a: { out: string; reason: string }) =>
      `Files cannot be written to ${a.out}: ${a.reason}. Choose a folder that is new or empty.`,
  },
  RUN_REPLAY: (a: { name: string; reason: string }) => `${a.name} cannot be reproduced: ${a.reason}.`,
  RUN_CANCELLED: () => "The program was cancelled before it finished.",
  RUN_COMMAND: {
    exit: 2,
    text: (a: { reason: string }) =>
      `The command was not run: ${a.reason}. [runner] allow and deny permit single commands only; the user can change them.`,
  },
  RUN_SESSION_ARGUMENTS: () => "Pass either write and close, or kill.",
  RUN_SESSION_UNKNOWN: (a: { id: string; ids: readonly string[] }) =>
    `There is no running program ${a.id}. ${a.ids.length > 0 ? `These exist: ${a.ids.join(", ")}.` : "Start one with skill_run and interactive."}`,
  RUN_SESSIONS_FULL: (a: { limit: number; ids: readonly string[] }) =>
    `The command was not run: ${a.limit} interactive programs are already running. End one of them first with skill_session and kill: ${a.ids.join(", ")}.`,
  RUN_SESSION_INPUT: (a: { id: string; reason: string }) =>
    `Nothing was written to ${a.id}: ${a.reason}. Call skill_session without write to see its state.`,
});
