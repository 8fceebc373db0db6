import { mayFit, parsePattern, type Text } from "./pattern.ts";
import type { Possible, ScriptAnalysis } from "./possible.ts";
import type { Rule } from "./rule.ts";
import { rewrittenForRule } from "./same-options.ts";

/** The decision of deny or ask rules on a command, and its reason. */
export interface Forbidden {
  decision: "deny" | "ask";
  why: string;
}

/** Compares everything that a command may run with deny or ask rules. An uncertain match gives `ask`. */
export function forbids(
  rules: readonly Rule[],
  { commands, unsure }: ScriptAnalysis,
  texts: readonly (readonly Text[])[],
): Forbidden | undefined {
  const [first] = rules;
  if (!first) return undefined;
  const parsed = rules.map((rule) => ({
    rule,
    pattern: rule.pattern === undefined ? undefined : parsePattern(rule.pattern),
  }));
  const matching = (isSure: boolean) =>
    parsed.find(
      ({ pattern }) =>
        pattern === undefined ||
        commands.some(({ sure }, at) => (sure || !isSure) && texts[at]?.some((text) => mayFit(pattern, text, isSure))),
    )?.rule;
  const sure = matching(true);
  if (sure) return { decision: "deny", why: `the rule "${sure.text}" matches it` };
  const possible = matching(false);
  const reordered = possible ?? rules.find((rule) => matchesReordered(rule, commands));
  if (reordered) return { decision: "ask", why: `it may run what the rule "${reordered.text}" is about` };
  if (unsure.length === 0) return undefined;
  return { decision: "ask", why: `it contains ${unsure[0]}, so it may run what the rule "${first.text}" is about` };
}

/** Whether a command has the same options as a rule, in another order or spelling. */
function matchesReordered({ pattern }: Rule, commands: readonly Possible[]): boolean {
  if (pattern === undefined) return false;
  const parsed = parsePattern(pattern);
  return commands.some((command) => rewrittenForRule(pattern, command).some((text) => mayFit(parsed, text, false)));
}
