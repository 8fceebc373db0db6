import { beginningOf } from "@scorel/kit/text/cut";
import { lineOf } from "@scorel/kit/text/one-line";
import { issueText } from "@scorel/kit/values/issue-text";
import { z } from "zod";
import { errors } from "./errors.ts";

/** An argument of a command, derived from its schema. */
export interface Argument {
  key: string;
  flag: boolean;
  required: boolean;
  values: readonly string[];
}
interface Property {
  type?: string;
  enum?: unknown[];
}

/** The arguments of schemas that were read before. All commands are checked for each list and each completion. */
const argumentsBySchema = new WeakMap<z.ZodObject, readonly Argument[]>();

/** Returns a schema's arguments in the order of its keys. Throws for a schema that cannot be described. */
export function argumentsOf(schema: z.ZodObject): readonly Argument[] {
  const found = argumentsBySchema.get(schema) ?? readArguments(schema);
  argumentsBySchema.set(schema, found);
  return found;
}

function readArguments(schema: z.ZodObject): Argument[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return Object.entries(properties).map(([key, { type, enum: values = [] }]) => ({
    key,
    flag: type === "boolean",
    required: required.includes(key),
    values: values.map(String),
  }));
}

/** Returns a command's usage, for example `/name <event> [words] [--files]`. */
export function usageOf(name: string, schema: z.ZodObject | undefined, hint = ""): string {
  if (!schema) return `/${name} ${hint}`.trimEnd();
  const words = argumentsOf(schema).map(({ key, flag, required, values }) => {
    if (flag) return `[--${key}]`;
    const shown = values.length > 0 ? values.join("|") : key;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  return [`/${name}`, ...words].join(" ");
}

/**
 * Returns the argument that the end of a text belongs to, and what is typed of it. The last argument takes all words that follow; undefined
 * if the command has none.
 */
export function argumentAtEnd(
  known: readonly Argument[],
  text: string,
): { argument: Argument | undefined; typed: string } {
  const places = known.filter(({ flag }) => !flag);
  const typed = lastWord(text);
  const before = text.slice(0, text.length - typed.length);
  const words = [...before.matchAll(/\S+/g)].filter(([word]) => !word.startsWith("--"));
  const last = words[places.length - 1];
  if (!last) return { argument: places[words.length], typed };
  return { argument: places.at(-1), typed: text.slice(last.index) };
}

/** The text after the last white space. Takes linear time for any text, unlike `/\S*$/`. */
export function lastWord(text: string): string {
  let start = text.length;
  while (start > 0 && !/\s/.test(text[start - 1] as string)) start--;
  return text.slice(start);
}

/** Parses the text after a command's name into the object of its schema. Throws COMMAND_ARGUMENTS. */
export function parseArguments(name: string, schema: z.ZodObject, text: string): Record<string, unknown> {
  const refuse = (problem: string) => errors.COMMAND_ARGUMENTS({ name, problem, usage: usageOf(name, schema) });
  const { given, problem } = read(argumentsOf(schema), text);
  if (problem !== undefined) throw refuse(problem);
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const [key, ...part] = issue.path.map(String);
  // A check of the whole object, as by `refine`.
  if (key === undefined) throw refuse(issueText(issue));
  if (!Object.hasOwn(given, key) && issue.code !== "custom") throw refuse(`${key} is missing`);
  throw refuse(`${key}: ${issueText(issue, part.length === 0 ? { value: given[key] } : {})}`);
}

function read(known: readonly Argument[], text: string): { given: Record<string, unknown>; problem?: string } {
  const given: Record<string, unknown> = {};
  const places = known.filter(({ flag }) => !flag);
  for (let rest = text.trim(); rest !== ""; ) {
    const option = /^--([A-Za-z][\w-]*)(?:=("[^"]*"|\S*))?(?=\s|$)/.exec(rest);
    const argument = option && known.find(({ key }) => key === option[1]);
    if (argument) {
      const taken =
        argument.flag || option[2] !== undefined
          ? ""
          : (/^\s+("[^"]*"|\S+)/.exec(rest.slice(option[0].length))?.[0] ?? "");
      if (!argument.flag && option[2] === undefined && taken === "")
        return { given, problem: `--${argument.key} needs a value` };
      given[argument.key] = argument.flag || unquoted(option[2] ?? taken.trim());
      rest = rest.slice(option[0].length + taken.length).trim();
      continue;
    }
    const open = places.filter(({ key }) => !Object.hasOwn(given, key));
    const [next] = open;
    if (!next) return { given, problem: `"${shortened(rest)}" is too much` };
    const word = open.length === 1 ? upToFlags(rest, known) : (/^("[^"]*"|\S+)/.exec(rest)?.[0] ?? rest);
    given[next.key] = unquoted(word.trim());
    rest = rest.slice(word.length).trim();
  }
  return { given };
}

/** Returns the rest of a line, which begins with a word, without the flags at its end. Takes linear time for any text. */
function upToFlags(rest: string, known: readonly Argument[]): string {
  const flags = new Set(known.filter(({ flag }) => flag).map(({ key }) => `--${key}`));
  let text = rest;
  for (let word = lastWord(text); flags.has(word) && word.length < text.length; word = lastWord(text))
    text = text.slice(0, -word.length).trimEnd();
  return text;
}

function unquoted(word: string): string {
  return /^"[^"]*"$/.test(word) ? word.slice(1, -1) : word;
}

/** Maximum characters of what a person typed that an error repeats. It may be a whole pasted file. */
const REPEATED = 60;

/** The beginning of what a person typed, on one line. */
export function shortened(typed: string): string {
  const line = lineOf(beginningOf(typed, REPEATED));
  return typed.length > REPEATED ? `${line}…` : line;
}
