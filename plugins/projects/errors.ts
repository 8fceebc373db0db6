import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  PROJECT_FILE: (a: { path: string; reason: string }) =>
    `${a.path} does not contain a list of projects: ${a.reason}. Nothing was changed in it. Repair it, or move it away: sessions stay as they are and are registered again.`,
  PROJECT_UNKNOWN: {
    exit: 2,
    text: (a: { named: string }) =>
      `There is no project "${a.named}". \`scorel project list\` shows them; \`scorel project add DIRECTORY\` adds one.`,
  },
  PROJECT_AMBIGUOUS: {
    exit: 2,
    text: (a: { named: string; matches: readonly string[] }) =>
      `"${a.named}" matches ${a.matches.length} projects: ${a.matches.slice(0, 5).join(", ")}${a.matches.length > 5 ? " …" : ""}. Use the id or the directory.`,
  },
  PROJECT_DIRECTORY: {
    exit: 2,
    text: (a: { path: string; reason: string }) => `${a.path} cannot be used: ${a.reason}. Specify a directory.`,
  },
  PROJECT_OUTSIDE: {
    exit: 2,
    text: (a: { path: string; roots: readonly string[] }) =>
      `${a.path} is not listed: it is hidden, or not below ${a.roots.join(" or ")}. Use another directory, or add one to \`roots\` in the [projects] table of ~/.scorel/config.toml.`,
  },
  PROJECT_NO_HOST: { exit: 2, text: () => 'Projects belong to a host. Remove "host" from "without" in the preset.' },
});
