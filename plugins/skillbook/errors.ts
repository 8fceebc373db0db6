import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  SKILLBOOK_NO_SKILLS: () =>
    'A session begun here has no skills: add "skills" to "use" in config.toml, or choose a preset that has it.',
  SKILLBOOK_SCOPE: () => "Give either --session or --all.",
  SKILLBOOK_NO_HOST: () => 'The commands for skills need a host: add "host" to "use" in your preset.',
});
