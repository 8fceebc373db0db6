import { defineErrors } from "@scorel/kernel";

/** The longest list of names in a message. */
const MOST = 100;
const list = (names: readonly string[]) => {
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : "";
  return names.length === 0 ? "none" : names.slice(0, MOST).join(", ") + more;
};

export const errors = defineErrors({
  RUN_ARGUMENTS: {
    exit: 2,
    text: () => "skill and command are required: name a skill and give a command to run in it.",
  },
  RUN_SKILL: {
    exit: 2,
    text: (a: { name: string; known: readonly string[] }) =>
      `unknown skill: ${a.name}. The skills here are: ${list(a.known)}.`,
  },
  RUN_NO_SKILLS: () => "No skill can be run: the plugin `skills` is not loaded.",
  RUN_NO_SANDBOX: () => "executor is not configured: the plugin `sandbox` is not loaded, so nothing was run.",
  RUN_PATH: {
    exit: 2,
    text: (a: { what: string; path: string; reason: string }) =>
      `${a.what} ${JSON.stringify(a.path)} cannot be used: ${a.reason}.`,
  },
  RUN_INPUT: { exit: 2, text: (a: { from: string; reason: string }) => `unsupported input: ${a.from}: ${a.reason}.` },
  RUN_REF: (a: { ref: string; reason: string }) => `${a.ref} cannot be read: ${a.reason}.`,
  RUN_STAGE: (a: { skill: string; path: string; reason: string }) =>
    `The skill ${a.skill} cannot be put into a workspace: ${a.path}: ${a.reason}.`,
  RUN_DISK: (a: { reason: string }) =>
    `The workspace could not be made ready, so nothing was run: ${a.reason}. Make room in ~/.scorel/workspaces or mend what it names, then try again.`,
  RUN_UNKNOWN: (a: { run: string }) => `No program ${a.run} runs here, or its end was told already.`,
  RUN_OUT: {
    exit: 2,
    text: (a: { out: string; reason: string }) =>
      `Files cannot be put into ${a.out}: ${a.reason}. Name a folder that is new or empty.`,
  },
  RUN_REPLAY: (a: { name: string; reason: string }) => `${a.name} cannot be made again: ${a.reason}.`,
  RUN_CANCELLED: () => "The program was ended before it was done.",
  RUN_COMMAND: {
    exit: 2,
    text: (a: { reason: string }) =>
      `The command was not run: ${a.reason}. Only single commands are allowed here, by [runner] allow and deny; a person can change them.`,
  },
  RUN_SESSION_ARGUMENTS: () => "A program is either written to or ended: give write and close, or kill.",
  RUN_SESSION_UNKNOWN: (a: { id: string; ids: readonly string[] }) =>
    `No program of a skill runs as ${a.id}. ${a.ids.length > 0 ? `These do: ${a.ids.join(", ")}.` : "None does; skill_run with interactive starts one."}`,
  RUN_SESSIONS_FULL: (a: { limit: number; ids: readonly string[] }) =>
    `The command was not run: ${a.limit} interactive programs run already. End one of them first, by skill_session with kill: ${a.ids.join(", ")}.`,
  RUN_SESSION_INPUT: (a: { id: string; reason: string }) =>
    `Nothing was written to ${a.id}: ${a.reason}. skill_session without write tells how it stands.`,
});
