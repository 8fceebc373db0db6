import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
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
      `No extension "${a.extension}" is held back. ${a.held.length === 0 ? "None is." : `Those that are: ${a.held.join(", ")}`}`,
  },
  TRUST_NOTHING: {
    exit: 2,
    text: (a: { path: string }) =>
      `There is nothing to trust in ${a.path}: it has no .scorel, .agents/skills, .claude/skills or .claude/commands, and is no preset (a .toml file, or a folder with preset.toml).`,
  },
  TRUST_HOW: {
    exit: 2,
    text: () =>
      "Say how: `scorel trust --dev [path]` trusts whatever a project or preset becomes, `scorel trust add [path]` what it is now.",
  },
  TRUST_NONE: {
    exit: 2,
    text: (a: { path: string }) => `${a.path} is not trusted. \`scorel trust list\` names what is.`,
  },
});
