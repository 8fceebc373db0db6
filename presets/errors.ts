import { defineErrors } from "@scorel/kernel";

const hint = (nearest: string | undefined) => (nearest === undefined ? "" : ` Did you mean "${nearest}"?`);

export const errors = defineErrors({
  CONFIG_INVALID: { exit: 2, text: (a: { problems: readonly string[] }) => a.problems.join("\n") },
  CONFIG_SCOPE: { exit: 2, text: (a: { problems: readonly string[] }) => a.problems.join("\n") },
  CONFIG_LOCKED: { exit: 2, text: (a: { problems: readonly string[] }) => a.problems.join("\n") },
  CONFIG_REQUIRES: { exit: 2, text: (a: { problems: readonly string[] }) => a.problems.join("\n") },
  CONFIG_TOML: {
    exit: 2,
    text: (a: { file: string; line: number; column: number; reason: string }) =>
      `${a.file}:${a.line}:${a.column}: not valid TOML: ${a.reason}`,
  },
  CONFIG_UNREADABLE: {
    exit: 2,
    text: (a: { file: string; reason: string }) =>
      `${a.file} cannot be read: ${a.reason}. Make it readable, move it away, or correct the path that names it.`,
  },
  CONFIG_NESTED: {
    exit: 2,
    text: (a: { file: string; levels: number }) =>
      `${a.file} cannot be read: it is nested more than ${a.levels} levels deep`,
  },
  CONFIG_FILE_MISSING: {
    exit: 2,
    text: (a: { file: string }) =>
      `There is no file ${a.file}. Correct the path that names it, after --preset or in "extends" of a preset.`,
  },
  CONFIG_PRESET_UNKNOWN: {
    exit: 2,
    text: (a: { preset: string; by: string; nearest: string | undefined }) =>
      `There is no preset "${a.preset}" (${a.by}).${hint(a.nearest)} \`scorel preset list\` lists them all${a.nearest === undefined ? ", and `scorel preset add <source>` installs one" : ""}.`,
  },
  CONFIG_PRESET_UNTRUSTED: {
    exit: 2,
    text: (a: { preset: string; file: string }) =>
      `The preset "${a.preset}" is in ${a.file}, which is not read until you trust the project: scorel trust add, or --trust for one run.`,
  },
  CONFIG_PRESET_CIRCLE: {
    exit: 2,
    text: (a: { chain: string }) => `Presets extend each other in a circle: ${a.chain}. Remove one "extends".`,
  },
  CONFIG_UNTRUSTED: {
    exit: 2,
    text: (a: { file: string }) =>
      `${a.file} is in a project's .scorel folder, which is not read until you trust the project: scorel trust add, or --trust for one run.`,
  },
  CONFIG_OUTSIDE: {
    exit: 2,
    text: (a: { file: string; by: string }) =>
      `${a.file} is not read: it is outside of ${a.by}, and only that was trusted. Move it there.`,
  },
  CONFIG_FLAG: { exit: 2, text: (a: { flag: string }) => `${a.flag} needs a value.` },
  CONFIG_NO_CLI: {
    exit: 2,
    text: () => 'No command line is loaded: the plugin "cli" is switched off. Remove it from "without".',
  },
  TESTING_PLUGIN: (a: { ids: string }) =>
    `"use" names ${a.ids}, which Scorel does not ship. Extensions go into "plugins".`,
  TESTING_OPTIONS: (a: { flaws: readonly string[] }) => `openSession() cannot use its options: ${a.flaws.join("; ")}.`,
  TESTING_START: (a: { problems: readonly string[] }) =>
    `The session did not start as its extensions require: ${a.problems.join("; ")}`,
  TESTING_COMMAND: (a: { line: string }) => `${JSON.stringify(a.line)} is not a command; write "/name arguments".`,
  CONFIG_CWD: {
    exit: 2,
    text: (a: { cwd: string; reason: string }) => `${a.cwd} cannot be used as the working directory: ${a.reason}.`,
  },
});
