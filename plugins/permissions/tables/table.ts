import { type OptionTable, optionTable, readOption } from "../options.ts";

/** Which words of a command no wildcard covers, by the place of the first one with all behind it, and by single words. */
export interface Uncovered {
  from: number;
  words?: readonly number[];
}

/**
 * What a wildcard covers of a program, one line for each command of it: `names: options | options with a value | options whose value
 * is in the same word`. Names have commas between them, one for a command in a command being two words. Before the name, `!` says that
 * it has to be spelled out in the rule; behind it, `>` says that what follows the next word belongs to another program. The name `*`
 * is for options that every command takes, and no name for those before the command. A `--` among the options does not end them.
 */
export interface Program {
  /** `single`: names of several letters have one dash, as in Go and find. Default: two, and letters can be bundled. */
  style?: "single";
  /** It writes what its words name, or runs it: paths that lead out of the project are not covered. */
  stays?: true;
  /** `@file` stands for more words, which that file holds. */
  readsWords?: true;
  /** A word with a colon names another machine, which a program is run for. */
  isLocal?: true;
  /** What the value of an option has to be. */
  values?: Readonly<Record<string, RegExp>>;
  lines: readonly string[];
}

interface Entry {
  options: OptionTable;
  isSpelled: boolean;
  isLauncher: boolean;
}
type Commands = ReadonlyMap<string, Entry>;

const parsed = new WeakMap<Program, Commands>();

function commandsOf(program: Program): Commands {
  const known = parsed.get(program);
  if (known) return known;
  const lines = program.lines.map(takenApart);
  const shared = lines.find(({ names }) => names.includes("*"))?.parts ?? [];
  const commands = new Map<string, Entry>();
  for (const { names, parts } of lines) {
    const [flags, valued, attached] = [0, 1, 2].map((at) => `${parts[at] ?? ""} ${shared[at] ?? ""}`) as [
      string,
      string,
      string,
    ];
    const options = optionTable(flags, valued, attached);
    for (const name of names)
      commands.set(name.replace(/^!|>$/g, ""), {
        options,
        isSpelled: name.startsWith("!"),
        isLauncher: name.endsWith(">"),
      });
  }
  parsed.set(program, commands);
  return commands;
}

function takenApart(line: string): { names: string[]; parts: string[] } {
  const end = line.indexOf(":");
  return {
    names: line
      .slice(0, end)
      .split(",")
      .map((name) => name.trim()),
    parts: line.slice(end + 1).split("|"),
  };
}

/** What a wildcard does not cover of a program, by the command and the options in its words. */
export function uncoveredBy(program: Program, values: readonly (string | undefined)[]): Uncovered {
  const commands = commandsOf(program);
  const words: number[] = [];
  const given = values.map((value) => value ?? "");
  let path = "";
  let isOver = false;
  for (let at = 1; at < given.length; at++) {
    const value = given[at] as string;
    const entry = commands.get(path) ?? commands.get("*") ?? NOTHING;
    if (value === "--" && entry.options.flags.has("--")) continue;
    if (value === "--" && !isOver) {
      if (isGroup(path, commands)) return { from: at, words };
      isOver = true;
      continue;
    }
    if (!isOver && /^-./.test(value)) {
      const takes =
        program.style !== "single" && isGlued(value, entry.options, commands)
          ? undefined
          : optionAt(given, at, entry.options, program);
      if (takes === undefined) return { from: at, words };
      // A value that looks like an option may be one after all.
      if (takes === 2 && /^-[^\d]/.test(given[at + 1] ?? "")) return { from: at + 1, words };
      at += takes - 1;
      continue;
    }
    if ((program.readsWords && value.startsWith("@")) || (program.isLocal && /^[^/]*:/.test(value))) words.push(at);
    const longer = path === "" ? value : `${path} ${value}`;
    const next = commands.get(longer);
    if (next?.isSpelled) words.push(at);
    if (next || isGroup(longer, commands)) path = longer;
    else if (isGroup(path, commands)) return { from: at, words };
    else if (entry.isLauncher) return { from: Number.POSITIVE_INFINITY, words };
  }
  return { from: Number.POSITIVE_INFINITY, words };
}

const NOTHING: Entry = { options: optionTable(""), isSpelled: false, isLauncher: false };

/** Whether the next word has to be the name of a command. */
function isGroup(path: string, commands: Commands): boolean {
  const before = path === "" ? "" : `${path} `;
  return [...commands.keys()].some((name) => name !== path && name !== "*" && name.startsWith(before));
}

/**
 * Whether a value stands right behind a letter where commands share their options: to another command the letter may be one without
 * a value, and what follows it more letters.
 */
function isGlued(word: string, { valued }: OptionTable, commands: Commands): boolean {
  if (word.startsWith("--") || !isGroup("", commands)) return false;
  const at = [...word].findIndex((letter, index) => index > 0 && valued.has(letter));
  return at > 0 && /[a-zA-Z]/.test(word[at + 1] ?? "");
}

/** How many words an option takes; undefined for one that is not known, or whose name is cut short. */
function optionAt(
  given: readonly string[],
  at: number,
  options: OptionTable,
  { style, values = {} }: Program,
): 1 | 2 | undefined {
  const word = given[at] as string;
  const isLong = style === "single" && /^-[^-=]{2}/.test(word);
  const read = readOption(isLong ? [`-${word}`, given[at + 1] ?? ""] : given.slice(at, at + 2), 0, options);
  const isGood = read.options.every(
    ({ name, value = "" }) => !Object.hasOwn(values, name) || values[name]?.test(value),
  );
  return read.known && !read.isShort && isGood ? read.takes : undefined;
}

/** The words of a command that are no options or their values, and the names of its options, by the options before any command. */
export function operandsBehind(program: Program, words: readonly string[]): { operands: string[]; options: string[] } {
  const { options: table } = commandsOf(program).get("") ?? NOTHING;
  const operands: string[] = [];
  const options: string[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") return { operands: [...operands, ...words.slice(at + 1)], options };
    if (!/^-./.test(word)) operands.push(word);
    else {
      const read = readOption(words, at, table);
      options.push(...read.options.map(({ name }) => name));
      at += read.takes - 1;
    }
  }
  return { operands, options };
}
