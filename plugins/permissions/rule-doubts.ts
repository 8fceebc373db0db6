import { nearest } from "@scorel/kernel";
import type {} from "@scorel/tools/contract";
import { errors } from "./errors.ts";
import { parseRule } from "./rule.ts";
import { isAbout } from "./rules.ts";
import type { Context } from "./state.ts";

/** The tools that Scorel brings itself; extensions may bring more. */
export const OWN_TOOLS: readonly string[] =
  "Bash Edit Glob Grep Read TodoWrite Write skill_load skill_list_docs skill_select_docs skill_search skill_run skill_session".split(
    " ",
  );
/** Their patterns are about files. */
const FILE_TOOLS = /^(?:Read|Edit|Write|Grep|Glob)$/i;

/** Why a rule may not do what whoever wrote it expects, by the tools that there are; undefined when nothing speaks for that. */
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

/** The same before any extension is loaded. */
export function doubtBeforeStart(text: string): string | undefined {
  return doubtAbout(text, OWN_TOOLS, " unless an extension brings it");
}

/** Tells of all such rules of a session in one warning. */
export function warnAbout(rules: readonly string[], ctx: Context): void {
  const tools =
    ctx
      .find("tools")
      ?.list()
      .map(({ name }) => name) ?? [];
  // A preset without Bash still takes rules about it from the user's file.
  const known = [...new Set([...tools, ...OWN_TOOLS])];
  const doubts = rules.flatMap((rule) => doubtAbout(rule, known) ?? []);
  if (doubts.length > 0) ctx.report("", errors.PERMISSIONS_NO_EFFECT({ doubts }));
}
