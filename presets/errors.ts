import { defineErrors } from "@scorel/kernel";

const hint = (nearest: string | undefined) => (nearest === undefined ? "" : ` Did you mean "${nearest}"?`);

export const errors = defineErrors({
  CONFIG_INVALID: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  CONFIG_SCOPE: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  CONFIG_TOML: (a: { file: string; line: number; column: number; reason: string }) =>
    `${a.file}:${a.line}:${a.column}: not valid TOML: ${a.reason}`,
  CONFIG_UNREADABLE: (a: { file: string; reason: string }) => `${a.file} cannot be read: ${a.reason}`,
  CONFIG_PRESET_UNKNOWN: (a: { preset: string; by: string; nearest: string | undefined }) =>
    `There is no preset "${a.preset}" (${a.by}).${hint(a.nearest)} \`scorel preset list\` names them all.`,
  CONFIG_PRESET_UNTRUSTED: (a: { preset: string; file: string }) =>
    `The preset "${a.preset}" is in ${a.file}, which is not read without --trust.`,
  CONFIG_PRESET_CIRCLE: (a: { chain: string }) =>
    `Presets extend each other in a circle: ${a.chain}. Remove one "extends".`,
  CONFIG_UNTRUSTED: (a: { file: string }) =>
    `${a.file} lies in a project's .scorel folder, which is not read without --trust.`,
  CONFIG_HOME: (a: { reason: string }) =>
    `There is no home directory to keep ~/.scorel in: ${a.reason}. Set HOME to a directory of yours, by its full path.`,
  CONFIG_FLAG: (a: { flag: string }) => `${a.flag} needs a value.`,
  CONFIG_NO_CLI: () => 'No command line is loaded: the plugin "cli" is switched off. Remove it from "without".',
  CONFIG_CWD: (a: { cwd: string; reason: string }) => `${a.cwd} is not a directory to work in: ${a.reason}`,
  EXTENSION_FOLDER: (a: { path: string; reason: string; command: string }) =>
    `${a.path} ${a.reason}, so nothing is loaded from it. If it is yours, run: ${a.command}`,
  EXTENSION_LOAD: (a: { id: string; where: string; reason: string }) =>
    `Extension "${a.id}" is left out: ${a.reason} (${a.where})`,
  EXTENSION_SHAPE: (a: { id: string; file: string; reason: string }) =>
    `Extension "${a.id}" is left out: ${a.reason} (${a.file})`,
});
