import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SKILLBOOK_NO_SKILLS: {
    exit: 2,
    text: () => 'Sessions here have no skills: add "skills" to "use" in config.toml, or choose a preset that has it.',
  },
  SKILLBOOK_SCOPE: { exit: 2, text: () => "Use either --session or --all." },
  SKILLBOOK_INPUTS: {
    exit: 2,
    text: (a: { name: string }) =>
      `Two inputs are named ${a.name}, so one would overwrite the other in inputs/. Rename one of them.`,
  },
  SKILLBOOK_SECONDS: {
    exit: 2,
    text: (a: { given: string }) => `--timeout must be a number of seconds greater than 0, not ${a.given}.`,
  },
  SKILLBOOK_NO_RUNNER: {
    exit: 2,
    text: () =>
      'Sessions here cannot run programs of skills: add "skills", "sandbox" and "runner" to "use" in config.toml.',
  },
  SKILLBOOK_NO_STORE: {
    exit: 2,
    text: () =>
      'Installing skills requires the plugin "skillstore": add it to "use" in config.toml, or choose a preset that has it.',
  },
  SKILLBOOK_ADDED: {
    exit: 2,
    text: (a: { name: string; from: string }) =>
      `${a.from} is already installed as "${a.name}". To fetch it again: scorel skill update ${a.name}`,
  },
  SKILLBOOK_NONE: {
    exit: 2,
    text: (a: { from: string; reasons: string }) => `${a.from} contains no usable skill: ${a.reasons}.`,
  },
  SKILLBOOK_NAME: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `The name "${a.name}" cannot be used: ${a.reason}. Choose another name with --name.`,
  },
  SKILLBOOK_UNCONFIRMED: {
    exit: 2,
    text: (a: { command: string }) =>
      `Nothing was installed, since there is no terminal to ask for confirmation. To install what is shown above: ${a.command} --yes`,
  },
  SKILLBOOK_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; known: readonly string[] }) =>
      `Nothing is installed as "${a.name}". ${a.known.length > 0 ? `Installed: ${a.known.join(", ")}.` : "To add skills: scorel skill add <source>"}`,
  },
  SKILLBOOK_ELSEWHERE: {
    exit: 2,
    text: (a: { name: string; place: string; shipped: boolean }) =>
      `"${a.name}" was not installed by \`scorel skill add\` (${a.place}). ${a.shipped ? "To disable it, list" : "Remove its folder, or list"} it in "disabled" of [skills].`,
  },
  SKILLBOOK_TOGETHER: {
    exit: 2,
    text: (a: { name: string; archive: string; others: number; from: string }) =>
      `"${a.name}" was installed with ${a.others} more from ${a.from}. To remove all of them: scorel skill remove ${a.archive}; to disable only this one: list it in "disabled" of [skills].`,
  },
  SKILLBOOK_ROOT: {
    exit: 2,
    text: (a: { name: string; from: string }) =>
      `"${a.name}" comes from ${a.from} in [skills] roots. Remove it from there.`,
  },
  SKILLBOOK_QUERY: {
    exit: 2,
    text: (a: { name: string; from: string }) =>
      `"${a.name}" was fetched from ${a.from} with a query, which is not stored since it may contain a key. Pass the full address: scorel skill update ${a.name} <address>`,
  },
  SKILLBOOK_NO_HOST: {
    exit: 2,
    text: () => 'The skill commands require the plugin "host": add it to "use" in your preset.',
  },
});
