import { defineErrors } from "@scorel/kernel";
import { visibleName, visiblePath } from "@scorel/kit/text/plain";

export const errors = defineErrors({
  PERMISSION_ELSEWHERE: () =>
    "The call names more files than the machine that has them can check at once. Split it into several calls.",
  PERMISSIONS_FORGET: (a: { rule: string; known: readonly string[] }) =>
    `${a.rule === "" ? "Say which rule to forget" : `You have no rule ${visibleName(JSON.stringify(a.rule))}`}. For example: /permission forget "Bash(npm test)".${a.known.length > 0 ? ` Your rules: ${a.known.map(visiblePath).join(", ")}` : ""}`,
  PERMISSIONS_LOCKED: (a: { mode: string; by: string; configured: string; allowed: readonly string[] }) =>
    `The permission mode cannot be ${a.mode}: ${a.by} locks permissions.mode, which is ${a.configured}. Allowed: ${a.allowed.join(", ")}.`,
  PERMISSIONS_NO_EFFECT: (a: { doubts: readonly string[] }) => a.doubts.join("\n"),
  PERMISSIONS_RULE: (a: { path: string; rules: readonly string[]; reason: string }) =>
    `${a.path} was not changed (${a.reason}). Add these rules to it yourself:\n[permissions]\nallow = ${JSON.stringify(a.rules)}`,
});
