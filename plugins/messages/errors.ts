import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MESSAGES_DISPLAYS: (a: { plugin: string; kind?: string }) =>
    `"displays" of plugin "${a.plugin}" must return an object with a function for each kind of custom event${a.kind === undefined ? "" : `; the value for "${a.kind}" is not a function`}.`,
});
