import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  RUN_ARGUMENTS: () => "skill and command are required: name a skill and give a command to run in it.",
  RUN_SKILL: (a: { name: string; known: readonly string[] }) =>
    `unknown skill: ${a.name}. The skills here are: ${a.known.join(", ") || "none"}.`,
  RUN_NO_SKILLS: () => "No skill can be run: the plugin `skills` is not loaded.",
  RUN_NO_SANDBOX: () => "executor is not configured: the plugin `sandbox` is not loaded, so nothing was run.",
  RUN_PATH: (a: { what: string; path: string; reason: string }) =>
    `${a.what} ${JSON.stringify(a.path)} cannot be used: ${a.reason}.`,
  RUN_INPUT: (a: { from: string; reason: string }) => `unsupported input: ${a.from}: ${a.reason}.`,
  RUN_REF: (a: { ref: string; reason: string }) => `${a.ref} cannot be read: ${a.reason}.`,
  RUN_STAGE: (a: { skill: string; path: string; reason: string }) =>
    `The skill ${a.skill} cannot be put into a workspace: ${a.path}: ${a.reason}.`,
  RUN_COMMAND: (a: { reason: string }) =>
    `The command was not run: ${a.reason}. Only single commands are allowed here, by [runner] allow and deny; a person can change them.`,
});
