import { defineErrors } from "@scorel/kernel";
import { shellWord } from "@scorel/kit/text/shell-word";

export const errors = defineErrors({
  EXTENSION_HELD: (a: { id: string; path: string; sessionId: string }) =>
    `Extension "${a.id}" is left out: it appeared or changed while tools of session ${a.sessionId} ran (${a.path}). If you want it loaded, review it and run: scorel trust confirm ${shellWord(a.id)}`,
  EXTENSION_UNLISTED: (a: { id: string; folder: string }) =>
    `Extension "${a.id}" is left out: you may enter the folder ${a.folder}, but not list it, so that changes in it could not be noticed. Make it readable for you, for example with: chmod u+r ${shellWord(a.folder)}`,
  CONFIG_PRESET_UNCONFIRMED: {
    exit: 2,
    text: (a: { file: string; changed: boolean }) =>
      a.changed
        ? `The preset ${a.file} has changed since you trusted it, so it is not read. To see what changed: scorel trust add ${shellWord(a.file)}; for one run: --trust`
        : `The preset ${a.file} is outside of ~/.scorel and is not trusted, so it is not read. To see it and trust it: scorel trust add ${shellWord(a.file)}; for one run: --trust`,
  },
  TRUST_FILE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} cannot be used: ${a.reason}. No project is trusted; fix or remove that file, and trust what you need again.`,
  },
  TRUST_TREE: {
    exit: 2,
    text: (a: { path: string; reason: string }) =>
      `${a.path} ${a.reason}, so its project or preset cannot be trusted. Remove it, or replace it with a copy.`,
  },
  TRUST_UNCONFIRMED: {
    exit: 2,
    text: (a: { path: string }) =>
      `Nothing was trusted: ${a.path} is shown above, and there is no one to ask. Add --yes to trust it.`,
  },
  TRUST_CONFIRM: {
    exit: 2,
    text: (a: { extension: string | undefined }) =>
      `Nothing was confirmed: what is held back is shown above, and there is no one to ask. To load it from now on: scorel trust confirm${a.extension === undefined ? "" : ` ${a.extension}`} --yes`,
  },
  TRUST_NOT_HELD: {
    exit: 2,
    text: (a: { extension: string; held: readonly string[] }) =>
      `No extension "${a.extension}" is held back. ${a.held.length === 0 ? "None is held back." : `Held back: ${a.held.join(", ")}`}`,
  },
  TRUST_NO_GUARD: {
    exit: 2,
    text: (a: { extension: string }) =>
      `No record says that an extension "${a.extension}" guards something, so there is nothing to forget.`,
  },
  TRUST_NOTHING: {
    exit: 2,
    text: (a: { path: string }) =>
      `There is nothing to trust in ${a.path}: it has no .scorel, .agents/skills, .claude/skills, .claude/commands, .claude/agents or .mcp.json, and is not a preset (a .toml file, or a folder with preset.toml).`,
  },
  TRUST_HOW: {
    exit: 2,
    text: (a: { word: string; nearest: string | undefined }) =>
      a.nearest !== undefined
        ? `"scorel trust" has no action "${a.word}". Did you mean "${a.nearest}"? \`scorel trust --help\` lists them all.`
        : "Use `scorel trust add [path]` to trust a project or preset as it is now, or `scorel trust --dev [path]` to trust it even when it changes.",
  },
  TRUST_NONE: {
    exit: 2,
    text: (a: { path: string }) => `${a.path} is not trusted. \`scorel trust list\` shows what is trusted.`,
  },
});
