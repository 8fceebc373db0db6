import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  TERMINAL_NO_EDITOR: () =>
    "No editor was found. Set the variable EDITOR to the command that starts yours, as in: export EDITOR=nano",
  TERMINAL_EDITOR: (a: { editor: string; reason: string }) =>
    `The editor "${a.editor}" failed (${a.reason}). Your text was not changed. Set the variable EDITOR to use another one.`,
  TERMINAL_IMAGE: (a: { path: string; reason: string }) =>
    `The picture ${a.path} cannot be attached: ${a.reason}. Attach another file, or delete it from the text.`,
});
