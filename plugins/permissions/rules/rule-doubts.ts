import type { BaseContext } from "@scorel/kernel";
import { nearest } from "@scorel/kit/values/nearest";
import type {} from "@scorel/tools/contract";
import { errors } from "../errors.ts";
import { parseRule } from "./rule.ts";
import { isAbout } from "./rules.ts";

/** The tools that Scorel ships; extensions may add more. */
export const OWN_TOOLS: readonly string[] =
  "Bash Edit Glob Grep Read TodoWrite Write skill_load skill_list_docs skill_select_docs skill_search skill_run skill_session".split(
    " ",
  );
/** Tools whose rule patterns match files. */
const FILE_TOOLS = /^(?:Read|Edit|Write|Grep|Glob)$/i;

/** Why a rule probably does not do what its author expects, given the available tools; undefined if nothing looks wrong. */
export function doubtAbout(text: string, tools: readonly string[], brings = ""): string | undefined {
  const rule = parseRule(text);
  if (!rule) return undefined;
  const { tool, pattern = "" } = rule;
  if (!tools.some((name) => isAbout(rule, name, true))) {
    const near = nearest(tool, tools);
    const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
    return `The rule ${JSON.stringify(text)} is about no call: there is no tool "${tool}"${brings}.${meant}`;
  }
  if (FILE_TOOLS.test(tool) && /\{[^{}]*,[^{}]*\}/.test(pattern))
    return `The rule ${JSON.stringify(text)} is about files with braces in their names: write a rule for each name.`;
  return undefined;
}

/** Like `doubtAbout`, before extensions are loaded. A warning, since a faulty rule leaves open what its author believes denied. */
export function examineRule(rule: string): { text: string; severity: "warning"; doNext: string } | undefined {
  const text = doubtAbout(rule, OWN_TOOLS, " unless an extension brings it");
  return text === undefined ? undefined : { text, severity: "warning", doNext: "Correct the rule, or remove it." };
}

/** Reports all doubtful rules of a session in one warning. */
export function warnAbout(rules: readonly string[], ctx: Pick<BaseContext, "find" | "report">): void {
  const tools =
    ctx
      .find("tools")
      ?.list()
      .map(({ name }) => name) ?? [];
  // Rules in the user's file may name built-in tools that this preset lacks.
  const known = [...new Set([...tools, ...OWN_TOOLS])];
  const doubts = rules.flatMap((rule) => doubtAbout(rule, known) ?? []);
  if (doubts.length > 0) ctx.report("", errors.PERMISSIONS_NO_EFFECT({ doubts }));
}
