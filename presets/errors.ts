import { defineErrors } from "@scorel/kernel";
import { shellWord } from "./shell-word.ts";

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
    text: (a: { file: string; reason: string }) => `${a.file} cannot be read: ${a.reason}`,
  },
  CONFIG_PRESET_UNKNOWN: {
    exit: 2,
    text: (a: { preset: string; by: string; nearest: string | undefined }) =>
      `There is no preset "${a.preset}" (${a.by}).${hint(a.nearest)} \`scorel preset list\` names them all.`,
  },
  CONFIG_PRESET_UNTRUSTED: {
    exit: 2,
    text: (a: { preset: string; file: string }) =>
      `The preset "${a.preset}" is in ${a.file}, which is not read before you trust the project: scorel trust add, or --trust for one run.`,
  },
  CONFIG_PRESET_UNCONFIRMED: {
    exit: 2,
    text: (a: { file: string; changed: boolean }) =>
      a.changed
        ? `The preset ${a.file} has changed since you trusted it, so nothing of it is read. To see what changed: scorel trust add ${shellWord(a.file)}; for one run: --trust`
        : `The preset ${a.file} lies outside of ~/.scorel and is not trusted, so nothing of it is read. To see it and trust it: scorel trust add ${shellWord(a.file)}; for one run: --trust`,
  },
  CONFIG_PRESET_CIRCLE: {
    exit: 2,
    text: (a: { chain: string }) => `Presets extend each other in a circle: ${a.chain}. Remove one "extends".`,
  },
  CONFIG_UNTRUSTED: {
    exit: 2,
    text: (a: { file: string }) =>
      `${a.file} lies in a project's .scorel folder, which is not read before you trust the project: scorel trust add, or --trust for one run.`,
  },
  CONFIG_OUTSIDE: {
    exit: 2,
    text: (a: { file: string; by: string }) =>
      `${a.file} is not read: it lies outside of ${a.by}, which is all that was trusted. Move it in there.`,
  },
  CONFIG_HOME: {
    exit: 2,
    text: (a: { reason: string }) =>
      `There is no home directory to keep ~/.scorel in: ${a.reason}. Set HOME to a directory of yours, by its full path.`,
  },
  CONFIG_FLAG: { exit: 2, text: (a: { flag: string }) => `${a.flag} needs a value.` },
  CONFIG_NO_CLI: {
    exit: 2,
    text: () => 'No command line is loaded: the plugin "cli" is switched off. Remove it from "without".',
  },
  CONFIG_CWD: {
    exit: 2,
    text: (a: { cwd: string; reason: string }) => `${a.cwd} is not a directory to work in: ${a.reason}.`,
  },
  PROCESS_UNEXPECTED: (a: { reason: string }) =>
    `An error that nobody handled ended the process: ${a.reason.replace(/\.$/, "")}. What was said is in the sessions' logs; \`scorel --continue\` goes on.`,
  CONFIG_NO_HOST: {
    exit: 2,
    text: () => 'No host is loaded: the plugin "host" is switched off. Remove it from "without".',
  },
  EXTENSION_FOLDER: (a: { path: string; reason: string; command: string }) =>
    `${a.path} ${a.reason}, so nothing is loaded from it. If it is yours, run: ${a.command}`,
  EXTENSION_HELD: (a: { id: string; path: string; sessionId: string }) =>
    `Extension "${a.id}" is left out: it appeared or changed while tools of session ${a.sessionId} ran (${a.path}). If you want it loaded, look at it and run: scorel trust confirm ${shellWord(a.id)}`,
  TRUST_FILE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} cannot be relied on: ${a.reason}. So nothing of a project is trusted; mend or remove that file, and trust what you need again.`,
  },
  TRUST_TREE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} ${a.reason}, so nothing of its project or preset can be trusted. Remove it, or put a copy in its place.`,
  },
  TRUST_COPY: {
    exit: 2,
    text: (a: { folder: string; reason: string }) =>
      `Files that are trusted could not be copied to ${a.folder}: ${a.reason}. So none of them is used. Make room there, or let Scorel write there, and try again.`,
  },
  PRESET_LOCK: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} cannot be relied on: ${a.reason}. So no installed preset is used; mend that file, or remove it with the folders of the presets beside it, and install them again.`,
  },
  PRESET_CHANGED: {
    exit: 2,
    text: (a: { name: string; files: string }) =>
      `The preset "${a.name}" is not what was installed: ${a.files}. Nothing of it is loaded. To see what differs: scorel preset diff ${a.name}; to install it again: scorel preset update ${a.name}`,
  },
  PRESET_TREE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} ${a.reason}, so this cannot be a preset. Remove it, or put a copy in its place.`,
  },
  PRESET_NONE: {
    exit: 2,
    text: (a: { path: string }) =>
      `There is no preset in ${a.path}: a folder that is one has a preset.toml at its top.`,
  },
  PRESET_EXTENDS: {
    exit: 2,
    text: (a: { name: string; place: string; preset: string; reason: string }) =>
      `The preset "${a.name}" was not installed: ${a.place} extends "${a.preset}", ${a.reason}. A preset can extend its own files (extends = "./base.toml"), presets that ship with Scorel, and installed ones: put a copy into its folder, or install that preset first.`,
  },
  PRESET_TAKEN: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `The preset "${a.name}" was not changed: ${a.reason}. Look at it with: scorel preset list`,
  },
  EXTENSION_FIELDS: (a: { id: string; file: string; slips: readonly { name: string; near: string }[] }) =>
    `Extension "${a.id}" has ${a.slips.map(({ name, near }) => `a field "${name}", which means nothing: did you mean "${near}"?`).join(" And ")} (${a.file})`,
});
