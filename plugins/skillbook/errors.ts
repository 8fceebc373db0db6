import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SKILLBOOK_NO_SKILLS: {
    exit: 2,
    text: () =>
      'A session begun here has no skills: add "skills" to "use" in config.toml, or choose a preset that has it.',
  },
  SKILLBOOK_SCOPE: { exit: 2, text: () => "Give either --session or --all." },
  SKILLBOOK_INPUTS: {
    exit: 2,
    text: (a: { name: string }) =>
      `Two inputs are named ${a.name}, and one would take the other's place in inputs/. Give one of them another name.`,
  },
  SKILLBOOK_SECONDS: {
    exit: 2,
    text: (a: { given: string }) => `--timeout is a number of seconds above 0, not ${a.given}.`,
  },
  SKILLBOOK_NO_RUNNER: {
    exit: 2,
    text: () =>
      'A session begun here runs no programs of skills: add "skills", "sandbox" and "runner" to "use" in config.toml.',
  },
  SKILLBOOK_NO_STORE: {
    exit: 2,
    text: () =>
      'Skills are added with the help of the plugin "skillstore": add it to "use" in config.toml, or choose a preset that has it.',
  },
  SKILLBOOK_ADDED: {
    exit: 2,
    text: (a: { name: string; from: string }) =>
      `${a.from} was added already, as "${a.name}". To fetch it anew: scorel skill update ${a.name}`,
  },
  SKILLBOOK_NONE: {
    exit: 2,
    text: (a: { from: string; reasons: string }) => `${a.from} holds no skill that can be used: ${a.reasons}.`,
  },
  SKILLBOOK_NAME: {
    exit: 2,
    text: (a: { name: string; reason: string }) =>
      `Nothing can be added as "${a.name}": ${a.reason}. Choose another name with --name.`,
  },
  SKILLBOOK_UNCONFIRMED: {
    exit: 2,
    text: (a: { command: string }) =>
      `Nothing was changed: what would be installed is shown above, and there is no one to ask. To install it: ${a.command} --yes`,
  },
  SKILLBOOK_UNKNOWN: {
    exit: 2,
    text: (a: { name: string; known: readonly string[] }) =>
      `Nothing was added as "${a.name}". ${a.known.length > 0 ? `There are: ${a.known.join(", ")}.` : "To add skills: scorel skill add <source>"}`,
  },
  SKILLBOOK_ELSEWHERE: {
    exit: 2,
    text: (a: { name: string; place: string; shipped: boolean }) =>
      `"${a.name}" was not added (${a.place}). ${a.shipped ? "To leave it out, list" : "Remove its folder, or list"} it in "disabled" of [skills].`,
  },
  SKILLBOOK_TOGETHER: {
    exit: 2,
    text: (a: { name: string; archive: string; others: number; from: string }) =>
      `"${a.name}" came with ${a.others} more from ${a.from}. To remove all of them: scorel skill remove ${a.archive}; to leave out this one: list it in "disabled" of [skills].`,
  },
  SKILLBOOK_ROOT: {
    exit: 2,
    text: (a: { name: string; from: string }) =>
      `"${a.name}" is there because [skills] roots names ${a.from}. Take it out there.`,
  },
  SKILLBOOK_QUERY: {
    exit: 2,
    text: (a: { name: string; from: string }) =>
      `The address that "${a.name}" came from, ${a.from}, had a query, which is not kept since it may be a key. Give it again: scorel skill update ${a.name} <address>`,
  },
  SKILLBOOK_NO_HOST: {
    exit: 2,
    text: () => 'The commands for skills need a host: add "host" to "use" in your preset.',
  },
});
