import type { Unit } from "../shell/shell.ts";
import type { Token } from "../shell/words.ts";
import { fitsStrictly, type Marked, parsePattern } from "./pattern.ts";
import type { Rule } from "./rule.ts";

/** Whether a rule is about a tool. A rule for Write or Edit covers both. */
export function isAbout({ tool }: Rule, name: string, loose = false): boolean {
  const names = name === "Write" || name === "Edit" ? ["Write", "Edit"] : [name];
  const source = `^${tool.split("*").map(escaped).join(".*")}$`;
  return names.some((it) => new RegExp(source, loose ? "is" : "s").test(it));
}

/** A rule that matches exactly this text, without wildcards. */
export function ruleFor(tool: string, text: string): string {
  return `${tool}(${text.replace(/[\\*]/g, "\\$&")})`;
}

/** Whether rules together allow a command: one for its words, and one for each assignment and redirection. */
export function allowsUnit({ tokens }: Unit, rules: readonly Rule[]): boolean {
  const patterns = rules.map(({ pattern }) => pattern);
  if (patterns.includes(undefined)) return true;
  const parsed = (patterns as string[]).map(parsePattern);
  const named = (part: readonly Token[]) => {
    const text = markedText(part);
    return parsed.some((pattern) => fitsStrictly(pattern, text));
  };
  if (named(tokens)) return true;
  const words = tokens.filter(({ kind }) => kind === "word");
  const rest = [...tokens.filter(({ kind }) => kind === "assignment").map((token) => [token]), ...redirects(tokens)];
  return rest.length > 0 && rest.every(named) && (words.length === 0 || named(words));
}

/** A command's text in normal order, for people and for rules. */
export function textOf({ tokens }: Pick<Unit, "tokens">): string {
  return ordered(tokens)
    .map(({ text }) => text)
    .join(" ");
}

/** Puts assignments first and redirections last, wherever they were written. */
function ordered(tokens: readonly Token[]): Token[] {
  const of = (kind: Token["kind"]) => tokens.filter((token) => token.kind === kind);
  return [...of("assignment"), ...of("word"), ...of("redirect")];
}

/** Groups each redirection operator with its target. */
function redirects(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  for (const token of tokens.filter(({ kind }) => kind === "redirect")) {
    const last = parts.at(-1);
    if (last?.length === 1 && !last[0]?.text.startsWith("<<")) last.push(token);
    else parts.push([token]);
  }
  return parts;
}

/** The text of a command, with one blank between words. */
export function markedText(tokens: readonly Token[]): Marked {
  const chars: string[] = [];
  const marks: boolean[] = [];
  for (const { text, marked } of ordered(tokens)) {
    if (chars.length > 0) add(" ", false);
    for (const char of text) add(char, marked);
  }
  function add(char: string, marked: boolean): void {
    chars.push(char);
    marks.push(marked);
  }
  return { chars, marked: marks };
}

function escaped(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
