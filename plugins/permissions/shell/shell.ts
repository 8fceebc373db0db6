import { isVisible } from "@scorel/kit/text/plain";
import { type Command, forEachChild, type ParsedScript, parse, type Redirection, type SyntaxNode } from "unbash";
import { bareName, marksOf, readsOrders } from "./hazards.ts";
import { spelled, staticValue, type Token, word } from "./words.ts";
import { unwrapped } from "./wrappers.ts";

/** A simple command with its assignments and redirections, or the redirections of a compound command. */
export interface Unit {
  tokens: Token[];
  /**
   * Whether the command is inside a word of another one. A rule must then spell out that word; the inner command is only
   * checked against deny rules.
   */
  nested: boolean;
}
/** A parsed command. */
export interface Reading {
  units: Unit[];
  /** What could not be parsed for certain. No rule allows a command with such parts. */
  unknown: string[];
  /** Here-documents and here-strings, as written. */
  fed: string[];
  /** The programs that the units leave out, such as `timeout`. */
  wrappers: string[];
}

/** Compound nodes that only group commands. */
const HOLDERS = new Set([
  ...["Script", "Statement", "AndOr", "Pipeline", "Time", "Negation", "CompoundList"],
  ...["Subshell", "BraceGroup", "If", "Elif", "While"],
]);
const WORDS = new Set(["Word", "Assignment", "Redirect", "HereString", "HereDoc"]);
const NAME = /^[\x21-\x3c\x3e-\x7e]+$/;
/** Assignments that only affect how a program prints, not what it runs or loads, with values that name no file. */
const HARMLESS_ASSIGNMENT =
  /^(?:CI|NODE_ENV|FORCE_COLOR|NO_COLOR|CLICOLOR(?:_FORCE)?|DEBUG|VERBOSE|LANG|LANGUAGE|LC_[A-Z]+|TZ|COLUMNS|LINES|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE)=[\w.,:@*-]*$/;
const MAX_DEPTH = 8;
const MAX_LENGTH = 32_000;

let last: { text: string; reading: Reading } | undefined;

/** Parses a command as bash would. The last result is cached, since judging a command reads it several times. */
export function readCommand(text: string): Reading {
  if (last?.text !== text) last = { text, reading: newReading(text) };
  return last.reading;
}

function newReading(text: string): Reading {
  const unreadable = unreadableIn(text);
  const reading: Reading = { units: [], unknown: unreadable === undefined ? [] : [unreadable], fed: [], wrappers: [] };
  if (text.length <= MAX_LENGTH) readScript(text, reading, false, 0);
  return reading;
}

/** Why a command is not parsed at all, if so. */
export function unreadableIn(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return "too many commands to check";
  return isVisible(text) ? undefined : "a character that cannot be seen";
}

function readScript(text: string, reading: Reading, nested: boolean, depth: number): void {
  if (depth > MAX_DEPTH) reading.unknown.push("too many shells inside each other");
  else
    try {
      visit(parse(text), { reading, nested, depth, source: text });
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      reading.unknown.push("more levels than can be checked");
    }
}

interface Place {
  reading: Reading;
  nested: boolean;
  depth: number;
  source: string;
}

function visit(node: SyntaxNode, place: Place): void {
  const { reading } = place;
  if (node.type === "Command") command(node, place);
  else if (WORDS.has(node.type)) visitSubstitutions(node, place);
  else if (node.type === "Script") {
    for (const { message } of (node as ParsedScript).errors ?? []) reading.unknown.push(message);
    children(node, { ...place, source: node.source ?? place.source });
  } else {
    if (node.type === "Redirected") addUnit(redirections(node.redirects, place), place);
    else if (!HOLDERS.has(node.type)) reading.unknown.push(namedNode(node.type));
    children(node, place);
  }
}

function redirections(nodes: readonly Redirection[], place: Place): Token[] {
  return nodes.flatMap((node) => redirection(node, place));
}

function children(node: SyntaxNode, place: Place): void {
  forEachChild(node, (child) => visit(child, place));
}

/** Visits the substitutions in a word or a redirection: they run first and count as nested. */
function visitSubstitutions(node: SyntaxNode, place: Place): void {
  if ("script" in node && node.script === undefined) place.reading.unknown.push("a substitution that cannot be read");
  forEachChild(node, (child) => {
    if (child.type === "Script") visit(child, { ...place, nested: true });
    else visitSubstitutions(child, place);
  });
}

function command(node: Command, place: Place): void {
  const { reading, nested, depth } = place;
  children(node, place);
  const tokens = tokensOf(node, place);
  const name = tokens.find(({ kind }) => kind === "word");
  if (name && (name.value === undefined || !NAME.test(name.value)))
    reading.unknown.push("a command whose name is only known when it runs");
  const inner = unwrapped(valuesOf(tokens));
  reading.wrappers.push(...(inner?.wrappers ?? []));
  const own = inner?.script === undefined ? withoutWords(tokens, inner?.skip ?? 0) : withoutWords(tokens);
  addUnit(own, place);
  if (inner?.script !== undefined) readScript(inner.script, reading, nested, depth + 1);
  else if (isShell(name?.value))
    for (const { value } of tokens) if (value && /\s/.test(value)) readNestedScript(value, place);
}

function tokensOf(node: Command, place: Place): Token[] {
  return [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].flatMap((part): Token[] => {
    if (part.type === "Word") return [word(part)];
    if (part.type !== "Assignment") return redirection(part, place);
    const kind = part.pos < (node.name?.pos ?? Number.POSITIVE_INFINITY) ? "assignment" : "word";
    if (kind === "assignment" && node.name && HARMLESS_ASSIGNMENT.test(part.text)) return [];
    return [{ kind, text: part.text, marked: true }];
  });
}

/** Parses a shell's argument as a script, so that deny rules also apply inside it. */
function readNestedScript(script: string, { reading, depth }: Place): void {
  const inner: Reading = { units: [], unknown: [], fed: [], wrappers: [] };
  readScript(script, inner, true, depth + 1);
  reading.units.push(...inner.units);
}

function isShell(name: string | undefined): boolean {
  return (
    name !== undefined &&
    /^(?:ba|da|z|k|a|fi)?sh$|^(?:eval|su|ssh|xargs|sudo|env|exec|trap|watch|parallel)$/.test(bareName(name))
  );
}

function addUnit(tokens: Token[], { reading, nested }: Place): void {
  if (tokens.length === 0) return;
  const words = tokens.filter(({ kind }) => kind === "word");
  // Adds an explicit `-`, so that a rule for this program with any arguments does not cover reading commands from standard
  // input.
  if (words.length === 1 && readsOrders(words[0]?.value ?? ""))
    tokens.push({ kind: "word", text: "-", value: "-", marked: true });
  const marks = marksOf(words.map(({ value }) => value));
  for (const [index, token] of words.entries()) if (marks[index]) token.marked = true;
  reading.units.push({ tokens, nested });
}

function withoutWords(tokens: Token[], count = tokens.length): Token[] {
  let left = count;
  return tokens.filter(({ kind }) => kind !== "word" || left-- <= 0);
}

/** The known values of a command's words, in order. */
function valuesOf(tokens: readonly Token[]): (string | undefined)[] {
  return tokens.filter(({ kind }) => kind === "word").map(({ value }) => value);
}

/** The tokens of a redirection; empty for one that touches no file, such as `2>&1`, `/dev/null` or text in the script. */
function redirection(node: Redirection, { source, reading }: Place): Token[] {
  const text = source.slice(node.pos, node.end);
  if (node.descriptor?.type === "FileDescriptorVariable") reading.unknown.push("a descriptor in a variable");
  if (node.type === "HereDoc" || node.type === "HereString") reading.fed.push(text);
  if (node.type === "HereDoc") {
    reading.fed.push(node.body.text);
    const isText = node.delimiter?.quoted || (node.body.parts ?? []).every(({ type }) => type === "Literal");
    if (!node.closing || !node.delimiter) reading.unknown.push("a here-document without its end");
    return isText ? [] : [{ kind: "redirect", text: `${node.operator}${node.delimiter?.text ?? ""}`, marked: true }];
  }
  const value = node.target && staticValue(node.target);
  if (node.type === "HereString") return value === undefined ? [{ kind: "redirect", text, marked: true }] : [];
  if (value === "/dev/null" || (/^[<>]&$/.test(node.operator) && /^(?:\d+|-)$/.test(value ?? ""))) return [];
  const operator = `${node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : ""}${node.operator}`;
  const target: Token = {
    kind: "redirect",
    text: value === undefined ? (node.target?.text ?? "") : spelled(value),
    marked: value === undefined,
  };
  return [
    { kind: "redirect", text: operator, marked: true },
    { ...target, ...(value !== undefined && { value }) },
  ];
}

/** A grammar node's name in plain English, such as `a for loop`. */
function namedNode(type: string): string {
  const words = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  const name = /^(for|while|until|select)$|for$/.test(words) ? `${words} loop` : words;
  return `${/^[aeiou]/.test(name) ? "an" : "a"} ${name}`;
}
