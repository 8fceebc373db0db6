import { mayFit, parsePattern, type Text } from "./pattern.ts";
import type { Outlook, Possible } from "./possible.ts";
import type { Rule } from "./rule.ts";
import { asRuleSays } from "./same-options.ts";

/** What rules that forbid say of a command: it is what one of them is about, or it may be. */
export interface Forbidden {
  decision: "deny" | "ask";
  why: string;
}

/** Compares what a command may run with rules that deny or ask. What cannot be told counts as a match that is not sure. */
export function forbids(
  rules: readonly Rule[],
  { commands, unsure }: Outlook,
  guises: readonly (readonly Text[])[],
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
        commands.some(({ sure }, at) => (sure || !isSure) && guises[at]?.some((text) => mayFit(pattern, text, isSure))),
    )?.rule;
  const sure = matching(true);
  if (sure) return { decision: "deny", why: `the rule "${sure.text}" matches it` };
  const possible = matching(false);
  const reordered = possible ?? rules.find((rule) => isSaidOtherwise(rule, commands));
  if (reordered) return { decision: "ask", why: `it may run what the rule "${reordered.text}" is about` };
  if (unsure.length === 0) return undefined;
  return { decision: "ask", why: `it contains ${unsure[0]}, so it may run what the rule "${first.text}" is about` };
}

/** Whether a command has the options of a rule in another order or spelling. */
function isSaidOtherwise({ pattern }: Rule, commands: readonly Possible[]): boolean {
  if (pattern === undefined) return false;
  const parsed = parsePattern(pattern);
  return commands.some((command) => asRuleSays(pattern, command).some((text) => mayFit(parsed, text, false)));
}
