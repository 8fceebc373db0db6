import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  PROMPT_PART: (a: { plugin: string; reason: string }) =>
    `A part of the prompt that plugin "${a.plugin}" contributes is left out: ${a.reason}. Specify a section, a priority from 1 to 99 and a text.`,
  PROMPT_CONTEXT: (a: { received: string }) =>
    `A layer of "promptSubmit" may return a string, { context: string } or nothing, not ${a.received}.`,
});
