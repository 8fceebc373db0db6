import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  PERMISSIONS_RULE: (a: { path: string; rules: readonly string[]; reason: string }) =>
    `${a.path} was left as it is (${a.reason}). To keep the rule, put this into it:\n[permissions]\nallow = ${JSON.stringify(a.rules)}`,
});
