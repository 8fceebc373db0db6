import type { Unit } from "../shell/shell.ts";
import type { Token } from "../shell/words.ts";
import { fitsStrictly, parsePattern } from "./pattern.ts";
import { parseRule, type Rule } from "./rule.ts";
import { allowsUnit, markedText, ruleFor, textOf } from "./rules.ts";

/** Explains which rule would cover a command except for one word, and which rule to add; undefined when no rule is close. */
export function nearMiss(unit: Unit, rules: readonly Rule[]): string | undefined {
  const words = unit.tokens.filter(({ kind }) => kind === "word");
  for (const rule of rules) {
    if (rule.pattern === undefined || words.length === 0) continue;
    const pattern = parsePattern(rule.pattern);
    const fits = (tokens: readonly Token[]) => fitsStrictly(pattern, markedText(tokens));
    const unmarkedFrom = (end: number) => words.map((word, at) => ({ ...word, marked: at < end && word.marked }));
    if (!fits(unmarkedFrom(0))) continue;
    const stop = words.findIndex((_, at) => !fits(unmarkedFrom(at + 1)));
    const [what, better] = stop < 0 ? firstNonWord(unit) : [words[stop]?.text, ruleUpToMarked(words)];
    if (what === undefined) continue;
    const helps =
      better !== undefined && allowsUnit(unit, [...rules, ...[parseRule(better)].filter((it) => it !== undefined)]);
    return `the rule "${rule.text}" does not cover ${what}${helps ? `; "${better}" would` : ""}`;
  }
  return undefined;
}

/** A rule that spells out a command up to the last word that no wildcard covers. */
function ruleUpToMarked(words: readonly Token[]): string | undefined {
  const last = words.findLastIndex(({ marked }) => marked);
  const rule = ruleFor("Bash", textOf({ tokens: words.slice(0, last + 1) }));
  return last < words.length - 1 ? rule.replace(/\)$/, " *)") : rule;
}

/** The first assignment or redirection of a command, and a rule that allows it. */
function firstNonWord({ tokens }: Unit): [string, string] | [undefined, undefined] {
  const at = tokens.findIndex(({ kind }) => kind !== "word");
  const first = tokens[at];
  if (!first) return [undefined, undefined];
  const text = textOf({ tokens: first.kind === "assignment" ? [first] : tokens.slice(at, at + 2) });
  return [text, ruleFor("Bash", text)];
}
