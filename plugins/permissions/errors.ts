import { defineErrors } from "@scorel/kernel";

export const errors = defineErrors({
  PERMISSIONS_FORGET: (a: { rule: string; known: readonly string[] }) =>
    `${a.rule === "" ? "Say which rule to forget" : `You have no rule ${JSON.stringify(a.rule)}`}. For example: /permission forget "Bash(npm test)".${a.known.length > 0 ? ` Yours: ${a.known.join(", ")}` : ""}`,
  PERMISSIONS_NO_EFFECT: (a: { doubts: readonly string[] }) => a.doubts.join("\n"),
  PERMISSIONS_RULE: (a: { path: string; rules: readonly string[]; reason: string }) =>
    `${a.path} was left as it is (${a.reason}). The rules that it should hold:\n[permissions]\nallow = ${JSON.stringify(a.rules)}`,
});
