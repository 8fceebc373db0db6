import { defineErrors } from "@scorel/kernel";
import { shellWord } from "./shell-word.ts";

const hint = (nearest: string | undefined) => (nearest === undefined ? "" : ` Did you mean "${nearest}"?`);

export const errors = defineErrors({
  CONFIG_INVALID: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  CONFIG_SCOPE: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  CONFIG_LOCKED: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  CONFIG_REQUIRES: (a: { problems: readonly string[] }) => a.problems.join("\n"),
  CONFIG_TOML: (a: { file: string; line: number; column: number; reason: string }) =>
    `${a.file}:${a.line}:${a.column}: not valid TOML: ${a.reason}`,
  CONFIG_UNREADABLE: (a: { file: string; reason: string }) => `${a.file} cannot be read: ${a.reason}`,
  CONFIG_PRESET_UNKNOWN: (a: { preset: string; by: string; nearest: string | undefined }) =>
    `There is no preset "${a.preset}" (${a.by}).${hint(a.nearest)} \`scorel preset list\` names them all.`,
  CONFIG_PRESET_UNTRUSTED: (a: { preset: string; file: string }) =>
    `The preset "${a.preset}" is in ${a.file}, which is not read before you trust the project: scorel trust add, or --trust for one run.`,
  CONFIG_PRESET_UNCONFIRMED: (a: { file: string; changed: boolean }) =>
    a.changed
      ? `The preset ${a.file} has changed since you trusted it, so nothing of it is read. To see what changed: scorel trust add ${shellWord(a.file)}; for one run: --trust`
      : `The preset ${a.file} lies outside of ~/.scorel and is not trusted, so nothing of it is read. To see it and trust it: scorel trust add ${shellWord(a.file)}; for one run: --trust`,
  CONFIG_PRESET_CIRCLE: (a: { chain: string }) =>
    `Presets extend each other in a circle: ${a.chain}. Remove one "extends".`,
  CONFIG_UNTRUSTED: (a: { file: string }) =>
    `${a.file} lies in a project's .scorel folder, which is not read before you trust the project: scorel trust add, or --trust for one run.`,
  CONFIG_OUTSIDE: (a: { file: string; by: string }) =>
    `${a.file} is not read: it lies outside of ${a.by}, which is all that was trusted. Move it in there.`,
  CONFIG_HOME: (a: { reason: string }) =>
    `There is no home directory to keep ~/.scorel in: ${a.reason}. Set HOME to a directory of yours, by its full path.`,
  CONFIG_FLAG: (a: { flag: string }) => `${a.flag} needs a value.`,
  CONFIG_NO_CLI: () => 'No command line is loaded: the plugin "cli" is switched off. Remove it from "without".',
  CONFIG_CWD: (a: { cwd: string; reason: string }) => `${a.cwd} is not a directory to work in: ${a.reason}.`,
  PROCESS_UNEXPECTED: (a: { reason: string }) =>
    `An error that nobody handled ended the process: ${a.reason.replace(/\.$/, "")}. What was said is in the sessions' logs; \`scorel --continue\` goes on.`,
  CONFIG_NO_HOST: () => 'No host is loaded: the plugin "host" is switched off. Remove it from "without".',
  EXTENSION_FOLDER: (a: { path: string; reason: string; command: string }) =>
    `${a.path} ${a.reason}, so nothing is loaded from it. If it is yours, run: ${a.command}`,
  EXTENSION_HELD: (a: { id: string; path: string; sessionId: string }) =>
    `Extension "${a.id}" is left out: it appeared or changed while tools of session ${a.sessionId} ran (${a.path}). If you want it loaded, look at it and run: scorel trust confirm ${shellWord(a.id)}`,
  TRUST_FILE: (a: { path: string; reason: string }) =>
    `${a.path} cannot be relied on: ${a.reason}. So nothing of a project is trusted; mend or remove that file, and trust what you need again.`,
  TRUST_TREE: (a: { path: string; reason: string }) =>
    `${a.path} ${a.reason}, so nothing of its project or preset can be trusted. Remove it, or put a copy in its place.`,
  TRUST_COPY: (a: { folder: string; reason: string }) =>
    `Files that are trusted could not be copied to ${a.folder}: ${a.reason}. So none of them is used. Make room there, or let Scorel write there, and try again.`,
  PRESET_LOCK: (a: { path: string; reason: string }) =>
    `${a.path} cannot be relied on: ${a.reason}. So no installed preset is used; mend that file, or remove it with the folders of the presets beside it, and install them again.`,
  PRESET_CHANGED: (a: { name: string; files: string }) =>
    `The preset "${a.name}" is not what was installed: ${a.files}. Nothing of it is loaded. To see what differs: scorel preset diff ${a.name}; to install it again: scorel preset update ${a.name}`,
  PRESET_TREE: (a: { path: string; reason: string }) =>
    `${a.path} ${a.reason}, so this cannot be a preset. Remove it, or put a copy in its place.`,
  PRESET_NONE: (a: { path: string }) =>
    `There is no preset in ${a.path}: a folder that is one has a preset.toml at its top.`,
  PRESET_EXTENDS: (a: { name: string; place: string; preset: string; reason: string }) =>
    `The preset "${a.name}" was not installed: ${a.place} extends "${a.preset}", ${a.reason}. A preset can extend its own files (extends = "./base.toml"), presets that ship with Scorel, and installed ones: put a copy into its folder, or install that preset first.`,
  PRESET_TAKEN: (a: { name: string; reason: string }) =>
    `The preset "${a.name}" was not changed: ${a.reason}. Look at it with: scorel preset list`,
  EXTENSION_FIELDS: (a: { id: string; file: string; slips: readonly { name: string; near: string }[] }) =>
    `Extension "${a.id}" has ${a.slips.map(({ name, near }) => `a field "${name}", which means nothing: did you mean "${near}"?`).join(" And ")} (${a.file})`,
});
