import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  MESSAGES_DISPLAYS: (a: { plugin: string; kind?: string }) =>
    `"displays" of plugin "${a.plugin}" must answer an object with a function for each kind of custom event${a.kind === undefined ? "" : `; that for "${a.kind}" is none`}.`,
});
