import { bareName } from "./hazards.ts";
import type { Rule } from "./rule.ts";
import type { Token, Unit } from "./shell.ts";

/** Whether a rule is about a tool. Write and Edit change files alike. */
export function isAbout({ tool }: Rule, name: string, loose = false): boolean {
  const names = name === "Write" || name === "Edit" ? ["Write", "Edit"] : [name];
  const source = `^${tool.split("*").map(escaped).join(".*")}$`;
  return names.some((it) => new RegExp(source, loose ? "i" : "").test(it));
}

/** A rule that names exactly this text: nothing in it is a wildcard. */
export function ruleFor(tool: string, text: string): string {
  return `${tool}(${text.replace(/[\\*]/g, "\\$&")})`;
}

/** Whether the rules together allow a command: one its words, and the same or others each thing that is marked. */
export function allowsUnit({ tokens }: Unit, rules: readonly Rule[]): boolean {
  const patterns = rules.map(({ pattern }) => pattern);
  if (patterns.includes(undefined)) return true;
  const matchers = (patterns as string[]).map(strictly);
  const named = (part: readonly Token[]) => matchers.some((matches) => matches.test(encoded(part)));
  if (named(tokens)) return true;
  const words = tokens.filter(({ kind }) => kind === "word");
  const rest = [...tokens.filter(({ kind }) => kind === "assignment").map((token) => [token]), ...redirects(tokens)];
  return rest.length > 0 && rest.every(named) && (words.length === 0 || named(words));
}

/** What a command is written as, for people and for rules. */
export function textOf({ tokens }: Pick<Unit, "tokens">): string {
  return ordered(tokens)
    .map(({ text }) => text)
    .join(" ");
}

/** Whether a rule speaks of a command in any of its guises: for rules that forbid, so in doubt it does. */
export function touchesUnit(unit: Unit, { pattern }: Rule): boolean {
  if (pattern === undefined) return true;
  const matcher = loosely(pattern);
  const words = unit.tokens.filter(({ kind }) => kind === "word").map(({ value, text }) => value ?? text);
  const [name = "", ...rest] = words;
  const guises = [textOf(unit), words.join(" "), [bareName(name), ...rest].join(" ")];
  // The command may be run by the one that is named.
  const behind = unit.tokens.some(({ kind, marked }) => kind === "word" && marked)
    ? rest.map((word, at) => [bareName(word), ...rest.slice(at + 1)].join(" "))
    : [];
  const others = [
    ...redirects(unit.tokens),
    ...unit.tokens.filter(({ kind }) => kind === "assignment").map((it) => [it]),
  ];
  const texts = [...guises, ...behind, ...others.map((tokens) => textOf({ tokens }))];
  return texts.some((text) => matcher.test(text));
}

/** Redirections stand last, assignments first, wherever they were written. */
function ordered(tokens: readonly Token[]): Token[] {
  const of = (kind: Token["kind"]) => tokens.filter((token) => token.kind === kind);
  return [...of("assignment"), ...of("word"), ...of("redirect")];
}

/** Each operator with its target. */
function redirects(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  for (const token of tokens.filter(({ kind }) => kind === "redirect")) {
    const last = parts.at(-1);
    if (last?.length === 1 && !last[0]?.text.startsWith("<<")) last.push(token);
    else parts.push([token]);
  }
  return parts;
}

/** Where characters of marked tokens lie; a command that holds such characters itself is never judged by rules. */
const SHIFT = 0xe000;
const OTHER = "\uf8ff";

/** A text in which no wildcard matches what is marked. */
function encoded(tokens: readonly Token[]): string {
  return ordered(tokens)
    .map(({ text, marked }) => (marked ? [...text].map(shifted).join("") : text))
    .join(" ");
}

function shifted(char: string): string {
  const code = char.codePointAt(0) as number;
  return code < 0x80 ? String.fromCharCode(SHIFT + code) : OTHER + char;
}

/** A pattern whose literal characters match what is marked too, and whose wildcards do not. */
function strictly(pattern: string): RegExp {
  const either = (char: string) => {
    const code = char.codePointAt(0) as number;
    if (char === " ") return `[ ${String.fromCharCode(SHIFT + 32)}]`;
    return code < 0x80 ? `[${escaped(char)}${String.fromCharCode(SHIFT + code)}]` : `${OTHER}?${char}`;
  };
  return compiled(pattern, "[^\ue000-\uf8ff]*", either);
}

function loosely(pattern: string): RegExp {
  return compiled(pattern, "[\\s\\S]*", escaped, "i");
}

function compiled(pattern: string, wild: string, literal: (char: string) => string, flags = ""): RegExp {
  const open = / \*$/.test(pattern);
  const source = [...(open ? pattern.slice(0, -2) : pattern).matchAll(/\\([\\*])|([\s\S])/gu)]
    .map(([, quoted, char]) => (quoted !== undefined ? literal(quoted) : char === "*" ? wild : literal(char as string)))
    .join("");
  return new RegExp(`^${source}${open ? `(?: ${wild})?` : ""}$`, flags);
}

function escaped(char: string): string {
  return char.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
