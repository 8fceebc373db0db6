import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  LOCAL_SHELL: (a: { shell: string; reason: string }) => `${a.shell} could not be started (${a.reason})`,
});
