import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SKILLBOOK_NO_SKILLS: () =>
    'A session begun here has no skills: add "skills" to "use" in config.toml, or choose a preset that has it.',
  SKILLBOOK_SCOPE: () => "Give either --session or --all.",
  SKILLBOOK_INPUTS: (a: { name: string }) =>
    `Two inputs are named ${a.name}, and one would take the other's place in inputs/. Give one of them another name.`,
  SKILLBOOK_SECONDS: (a: { given: string }) => `--timeout is a number of seconds above 0, not ${a.given}.`,
  SKILLBOOK_NO_RUNNER: () =>
    'A session begun here runs no programs of skills: add "skills", "sandbox" and "runner" to "use" in config.toml.',
  SKILLBOOK_NO_HOST: () => 'The commands for skills need a host: add "host" to "use" in your preset.',
});
