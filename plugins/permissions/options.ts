import { hasGap } from "./gaps.ts";

/** The options of a program: letters stand for short ones, longer names for those with two dashes. */
export interface OptionTable {
  flags: ReadonlySet<string>;
  /** Their value is the rest of the word or the next word. */
  valued: ReadonlySet<string>;
  /** Their value can only be the rest of the word. */
  attached: ReadonlySet<string>;
  /** All long names, to complete shortened ones. */
  long: readonly string[];
}
/** One word of options, read as its program reads it. */
export interface OptionWord {
  /** What it sets; a value may stand in the next word. */
  options: { name: string; value?: string }[];
  /** How many words belong to it. */
  takes: 1 | 2;
  /** Every option in it is in the table. */
  known: boolean;
  /** Its name is shortened. */
  isShort?: boolean;
}

/** Makes a table of names with blanks between them. */
export function optionTable(flags: string, valued = "", attached = ""): OptionTable {
  const [one, two, three] = [flags, valued, attached].map((names) => names.split(" ").filter(Boolean)) as [
    string[],
    string[],
    string[],
  ];
  const long = [...one, ...two, ...three].filter((name) => name.length > 1);
  return { flags: new Set(one), valued: new Set(two), attached: new Set(three), long };
}

/** Reads the option at `at`; `--name=value`, shortened long names and bundles of letters are taken apart. */
export function readOption(words: readonly string[], at: number, table: OptionTable): OptionWord {
  const word = words[at] ?? "";
  return word.startsWith("--") ? readLong(word, words[at + 1], table) : readBundle(word, words[at + 1], table);
}

function readLong(word: string, next: string | undefined, table: OptionTable): OptionWord {
  const [, given = "", value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
  const name = hasGap(given) ? undefined : fullName(given, table);
  if (name === undefined)
    return { options: [{ name: given, ...(value !== undefined && { value }) }], takes: 1, known: false };
  const isShort = name !== given;
  if (value !== undefined) return { options: [{ name, value }], takes: 1, known: !table.flags.has(name), isShort };
  if (!table.valued.has(name)) return { options: [{ name }], takes: 1, known: true, isShort };
  return { options: [{ name, ...(next !== undefined && { value: next }) }], takes: 2, known: true, isShort };
}

/** The option that a name stands for: itself, or the only one that begins so. */
export function fullName(given: string, { long }: OptionTable): string | undefined {
  if (long.includes(given)) return given;
  const [only, ...others] = new Set(long.filter((name) => given !== "" && name.startsWith(given)));
  return others.length === 0 ? only : undefined;
}

function readBundle(word: string, next: string | undefined, table: OptionTable): OptionWord {
  const options: OptionWord["options"] = [];
  for (let at = 1; at < word.length; at++) {
    const name = word[at] as string;
    const rest = word.slice(at + 1);
    if (table.valued.has(name)) {
      const value = rest === "" ? next : rest;
      options.push({ name, ...(value !== undefined && { value }) });
      return { options, takes: rest === "" ? 2 : 1, known: true };
    }
    if (table.attached.has(name)) return { options: [...options, { name, value: rest }], takes: 1, known: true };
    if (!table.flags.has(name)) return { options: [...options, { name, value: rest }], takes: 1, known: false };
    options.push({ name });
  }
  return { options, takes: 1, known: true };
}

/** A place where the words after the options may begin. */
export interface Place {
  at: number;
  sure: boolean;
}

const MAX_PLACES = 6;

/**
 * Where the first word that is no option may stand, from `from` on, and the options that were read on the way. An option that
 * the table does not know may take the next word or not. Undefined when there are too many ways to read it.
 */
export function firstOperand(
  words: readonly string[],
  from: number,
  table: OptionTable,
  isSkipped: (word: string) => boolean = () => false,
): { places: Place[]; options: OptionWord["options"] } | undefined {
  const places = new Map<number, boolean>();
  const options: OptionWord["options"] = [];
  const open = new Map([[from, true]]);
  for (const [at, sure] of open) {
    const word = words[at];
    const go = (next: number, stillSure: boolean) => open.set(next, (open.get(next) ?? false) || stillSure);
    if (places.size > MAX_PLACES) return undefined;
    if (word === undefined || (!word.startsWith("-") && !hasGap(word[0] ?? "") && !isSkipped(word)) || word === "-")
      places.set(at, (places.get(at) ?? false) || sure);
    else if (word === "--") places.set(at + 1, sure);
    else if (hasGap(word[0] ?? "")) {
      places.set(at, false);
      go(at + 1, false);
    } else if (isSkipped(word)) go(at + 1, sure);
    else {
      const read = readOption(words, at, table);
      options.push(...read.options);
      go(at + read.takes, sure && read.known);
      if (!read.known) go(at + 2, false);
    }
  }
  return { places: [...places].map(([at, sure]) => ({ at, sure })), options };
}
