import { nearest } from "@scorel/kit/values/nearest";
import { cac } from "cac";
import type { CliCommand } from "./contract.ts";
import { errors } from "./errors.ts";
import { nameOf } from "./help.ts";
import { resemblesCommand, unknownAction, unknownCommand } from "./meant.ts";
import { type Option, readOption } from "./option.ts";
import { meantByOthers, optionOfOthers, valueOfOthers } from "./words-of-others.ts";

/** A parsed command line. */
export interface Parsed {
  command: CliCommand;
  args: string[];
  options: Record<string, unknown>;
}

/**
 * Finds the command and parses its arguments. Throws CLI errors that name the nearest match. `failed` returns the files of extensions that
 * failed: a word that may be one of their commands is not taken as a prompt.
 */
export function parseCommandLine(
  argv: readonly string[],
  commands: readonly CliCommand[],
  global: readonly Option[],
  failed: () => readonly string[] = () => [],
): Parsed {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  const rest = end < 0 ? [] : argv.slice(end + 1);
  const { command, left } = findCommand(words, commands, global, failed);
  const options = optionsOf(command, global);
  const line = normalise(left, options, command);
  const parsed = parseWithCac(line.words, options);
  refuseConflicts(parsed, options);
  const args = [...line.args, ...rest];
  const [first = ""] = args;
  // Two words without quotes are rarely a prompt, if the first is a command of another tool.
  if (command.noun === "" && line.args.length === 2 && meantByOthers(first, commands))
    throw unknownCommand(first, commands);
  checkArguments(command, args);
  return { command, args, options: parsed };
}

/** Returns the command's options and the global ones. A command may redefine a global option. */
function optionsOf(command: CliCommand, global: readonly Option[]): Option[] {
  const own = (command.options ?? []).map(readOption);
  return [...own, ...global.filter(({ long }) => !own.some((option) => option.long === long))];
}

/** Finds noun and action: the first two words that are neither options nor their values. */
function findCommand(
  words: readonly string[],
  commands: readonly CliCommand[],
  global: readonly Option[],
  failed: () => readonly string[],
) {
  const root = commands.find(({ noun }) => noun === "");
  const known = root ? optionsOf(root, global) : global;
  const valued = known.filter(({ value }) => value !== undefined);
  const isValue = (index: number) =>
    valued.some(({ names }) => names.includes(words[index - 1] ?? "")) && !isMisspelt(words[index] ?? "", known);
  const places = words.flatMap((word, index) => (word.startsWith("-") || isValue(index) ? [] : [index]));
  const noun = words[places[0] ?? -1];
  if (noun === undefined || !commands.some((command) => command.noun === noun)) {
    const before = words.slice(0, places[0]).filter((_, index) => !isValue(index));
    // The word may be the value of an unknown option, which is then the error to report.
    if (root && noun !== undefined) refuseUnknown(before, known, nameOf(root));
    const isAfterOption = before.some((word) => isOption(word, (root?.options ?? []).map(readOption)));
    if (noun !== undefined && isAfterOption && root?.args === undefined)
      throw errors.CLI_UNEXPECTED_ARGUMENT({ command: "scorel", argument: noun });
    const command = rootFor(noun, root, commands, places.length === 1);
    const files = noun === undefined || /\s/.test(noun) ? [] : failed();
    if (noun !== undefined && files.length > 0) throw errors.CLI_FAILED_COMMAND({ command: noun, files });
    return { command, left: words };
  }
  const actions = commands.filter((command) => command.noun === noun);
  const action = words[places[1] ?? -1];
  const exact = actions.find((command) => command.action !== undefined && command.action === action);
  const command = exact ?? actions.find((each) => each.action === undefined);
  if (!command) throw unknownAction(noun, action, actions);
  const taken = exact ? places.slice(0, 2) : places.slice(0, 1);
  return { command, left: words.filter((_, index) => !taken.includes(index)) };
}

function isOption(word: string, options: readonly Option[]): boolean {
  return options.some(({ names }) => names.includes(word.split("=", 1)[0] ?? ""));
}

/** The command of a line that begins with no noun. With `isAlone`, its first word is its only one, and may be a command of another tool. */
function rootFor(
  noun: string | undefined,
  root: CliCommand | undefined,
  commands: readonly CliCommand[],
  isAlone: boolean,
): CliCommand {
  if (root && (noun === undefined || (root.args !== undefined && !resemblesCommand(noun, commands, isAlone))))
    return root;
  throw unknownCommand(noun ?? "", commands, root?.args !== undefined);
}

/** Throws for an option that is short for a value of another option (`means`), if that option is given with another value. */
function refuseConflicts(parsed: Record<string, unknown>, options: readonly Option[]): void {
  for (const { key, long, means } of options) {
    if (!means || parsed[key] !== true) continue;
    const meant = options.find((option) => option.long === means.option);
    const value = meant && parsed[meant.key];
    if (value !== undefined && value !== means.value && value !== meant?.default)
      throw errors.CLI_CONFLICT({
        option: long,
        means: `${means.option} ${means.value}`,
        given: `${means.option} ${value}`,
      });
  }
}

/** Prefix of every value, so that the parser treats none as a number, a flag or missing. */
const mark = "=";

/**
 * Rewrites options as `--long==value` and separates arguments. A value may begin with `-` unless it is itself an
 * option, or probably a misspelt one: `-p "- first"` works, `-p --output json` lacks a value, and so does `-p --outptu json`.
 */
function normalise(words: readonly string[], options: readonly Option[], command: CliCommand) {
  const line = { words: [] as string[], args: [] as string[] };
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (!word.startsWith("-") || word === "-") {
      line.args.push(word);
      continue;
    }
    const [name = "", ...inline] = word.split("=");
    const option = options.find(({ names }) => names.includes(name)) ?? unknownWord(name, options, command, line.args);
    const next = words[index + 1];
    const follows = next !== undefined && !isOption(next, options) && (!option.optional || !next.startsWith("-"));
    if (option.value !== undefined && follows && inline.length === 0 && isMisspelt(next, options))
      unknownOption(next.split("=", 1)[0] ?? "", options, nameOf(command));
    const value = inline.length > 0 ? inline.join("=") : option.value !== undefined && follows ? next : undefined;
    if (inline.length === 0 && value !== undefined) index++;
    line.words.push(written(option, value));
  }
  return line;
}

function written(option: Option, value: string | undefined): string {
  const name = plainName(option);
  if (option.value === undefined) {
    if (value !== undefined) throw errors.CLI_UNEXPECTED_VALUE({ option: option.long });
    return name;
  }
  if (value === undefined && option.mayBeEmpty) return `${name}=${mark}`;
  if (value === undefined && !option.optional)
    throw errors.CLI_MISSING_VALUE({ option: option.long, value: option.value });
  if (value !== undefined && option.values && !option.values.includes(value))
    throw errors.CLI_INVALID_VALUE({
      option: option.long,
      value,
      values: option.values,
      nearest: valueOfOthers(option.long, value, option.values) ?? nearest(value, option.values),
    });
  return value === undefined ? name : `${name}=${mark}${value}`;
}

function refuseUnknown(words: readonly string[], options: readonly Option[], command: string): void {
  for (const word of words) {
    if (word.startsWith("-") && !isOption(word, options)) unknownOption(word.split("=", 1)[0] ?? "", options, command);
  }
}

/** Throws for an unknown option. After the words of another command line, it probably belongs to that one. */
function unknownWord(name: string, options: readonly Option[], command: CliCommand, before: readonly string[]): never {
  const declared = (command.args ?? "").split(" ");
  const longs = options.map(({ long }) => long);
  if (/\.{3}[>\]]$/.test(declared.at(-1) ?? "") && before.length >= declared.length && !nearest(name, longs))
    throw errors.CLI_OPTION_OF_WORDS({ option: name, command: nameOf(command) });
  return unknownOption(name, options, nameOf(command));
}

function unknownOption(name: string, options: readonly Option[], command: string): never {
  throw errors.CLI_UNKNOWN_OPTION({ option: name, command, nearest: meantOption(name, options) });
}

/** Whether a word is no option, but one of another tool, or one with a typing error. */
function isMisspelt(word: string, options: readonly Option[]): boolean {
  const [name = ""] = word.split("=", 1);
  return /^--[\w-]+$/.test(name) && !isOption(word, options) && meantOption(name, options) !== undefined;
}

/** The option that an unknown option probably means. */
function meantOption(name: string, options: readonly Option[]): string | undefined {
  // Only long names are compared, since any single letter resembles any other.
  const names = [...options.map((option) => option.long), "--help", "--version"];
  // Other tools have longer names for the same option, such as --output-format.
  const begun = names.find((each) => name.startsWith(`${each}-`));
  return optionOfOthers(name, names) ?? begun ?? nearest(name, names);
}

/** Parses options with cac. Returns them by camelCase name: strings, arrays if repeatable, `true` for flags. */
function parseWithCac(words: readonly string[], options: readonly Option[]): Record<string, unknown> {
  const cli = cac("scorel");
  // cac calls this several times per value, so it must return its argument unchanged.
  const same = (value: unknown) => value;
  const unmark = (value: unknown) => (typeof value === "string" ? value.slice(mark.length) : value);
  for (const option of options) cli.option(flagsOf(option), option.description, option.value ? { type: [same] } : {});
  const parsed = cli.parse(["node", "scorel", ...words], { run: false }).options;
  return Object.fromEntries(
    options.flatMap(({ key, long, repeatable, once, default: byDefault }) => {
      const given = Array.isArray(parsed[key]) ? parsed[key].map(unmark) : unmark(parsed[key]);
      const value = repeatable || !Array.isArray(given) ? given : once ? onlyOf(given, long) : given.at(-1);
      return value === undefined && byDefault === undefined ? [] : [[key, value ?? byDefault]];
    }),
  );
}

/** The value of an option that was given several times. Throws CLI_REPEATED if the values differ. */
function onlyOf(values: readonly unknown[], option: string): unknown {
  const [first, second] = [...new Set(values)];
  if (second !== undefined) throw errors.CLI_REPEATED({ option, first: String(first), second: String(second) });
  return first;
}

/** Returns an option's flags for cac, which only knows it by its key. */
function flagsOf(option: Option): string {
  return option.value === undefined ? plainName(option) : `${plainName(option)} ${option.value}`;
}

/** Uses the key as the name, because cac would read `--no-session` as the opposite of `--session`. */
function plainName({ key }: Option): string {
  return `--${key}`;
}

function checkArguments(command: CliCommand, args: readonly string[]): void {
  const declared = (command.args ?? "").split(/\s+/).filter(Boolean);
  const required = declared.filter((argument) => argument.startsWith("<"));
  const name = nameOf(command);
  const missing = required[args.length];
  if (missing !== undefined) throw errors.CLI_MISSING_ARGUMENT({ command: name, argument: missing });
  const extra = args[declared.length];
  if (extra !== undefined && !declared.some((argument) => argument.includes("...")))
    throw errors.CLI_UNEXPECTED_ARGUMENT({ command: name, argument: extra });
}
