import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  TRUST_UNCONFIRMED: (a: { path: string }) =>
    `Nothing was trusted: ${a.path} is shown above, and there is no one to ask. Add --yes to trust it.`,
  TRUST_NOTHING: (a: { path: string }) =>
    `There is nothing to trust in ${a.path}: it has no .scorel, .agents/skills, .claude/skills or .claude/commands, and is no preset (a .toml file, or a folder with preset.toml).`,
  TRUST_HOW: () =>
    "Say how: `scorel trust --dev [path]` trusts whatever a project or preset becomes, `scorel trust add [path]` what it is now.",
  TRUST_NONE: (a: { path: string }) => `${a.path} is not trusted. \`scorel trust list\` names what is.`,
});
