import { type OptionTable, optionTable, readOption } from "../shell/options.ts";

/** Words that no wildcard covers: everything from index `from` on, and the single words at indexes `words`. */
export interface Uncovered {
  from: number;
  words?: readonly number[];
}

/**
 * What wildcards cover for a program, one line per subcommand: `names: options | options with a value | options whose value is
 * in the same word`. Names are separated by commas; a nested subcommand has two words. A leading `!` means that a rule must
 * spell the name out; a trailing `>`, that everything after the next word belongs to another program. `*` lists options of all
 * subcommands; an empty name, options before any. A `--` among the options means that it does not end them.
 */
export interface Program {
  /** `single`: long options have one dash, as in Go and find. By default they have two, and letters can be bundled. */
  style?: "single";
  /** The program writes or runs the paths in its arguments, so wildcards do not cover paths outside of the project. */
  stays?: true;
  /** `@file` is replaced by the words in that file. */
  readsWords?: true;
  /** A word with a colon names another machine, which makes the program run another one to reach it. */
  isLocal?: true;
  /** Patterns that option values must match. */
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
  const lines = program.lines.map(parseLine);
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

function parseLine(line: string): { names: string[]; parts: string[] } {
  const end = line.indexOf(":");
  return {
    names: line
      .slice(0, end)
      .split(",")
      .map((name) => name.trim()),
    parts: line.slice(end + 1).split("|"),
  };
}

/** The words of a command that wildcards do not cover, judged by its subcommand and options. */
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
      // A value that looks like an option may actually be one.
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

/** Whether the next word must be a subcommand. */
function isGroup(path: string, commands: Commands): boolean {
  const before = path === "" ? "" : `${path} `;
  return [...commands.keys()].some((name) => name !== path && name !== "*" && name.startsWith(before));
}

/**
 * Whether a value directly follows an option letter where subcommands share options: another subcommand may read the rest as
 * more letters.
 */
function isGlued(word: string, { valued }: OptionTable, commands: Commands): boolean {
  if (word.startsWith("--") || !isGroup("", commands)) return false;
  const at = [...word].findIndex((letter, index) => index > 0 && valued.has(letter));
  return at > 0 && /[a-zA-Z]/.test(word[at + 1] ?? "");
}

/** How many words an option takes; undefined for an unknown or abbreviated one. */
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

/** The operands and option names in a command, read with the options before any subcommand. */
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
