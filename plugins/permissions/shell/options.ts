import { hasGap } from "./gaps.ts";

/** A program's options: single letters are short options, other names long ones. */
export interface OptionTable {
  flags: ReadonlySet<string>;
  /** Options whose value is the rest of the word or the next word. */
  valued: ReadonlySet<string>;
  /** Options whose value can only be the rest of the word. */
  attached: ReadonlySet<string>;
  /** All long names, for completing abbreviations. */
  long: readonly string[];
}
/** One word of options, read as its program would. */
export interface OptionWord {
  /** The options in the word, with values; a value may come from the next word. */
  options: { name: string; value?: string }[];
  /** How many words the option takes. */
  takes: 1 | 2;
  /** Whether every option in the word is in the table. */
  known: boolean;
  /** Whether an option name is abbreviated. */
  isShort?: boolean;
}

/** Makes a table from lists of names separated by blanks. */
export function optionTable(flags: string, valued = "", attached = ""): OptionTable {
  const [one, two, three] = [flags, valued, attached].map((names) => names.split(" ").filter(Boolean)) as [
    string[],
    string[],
    string[],
  ];
  const long = [...one, ...two, ...three].filter((name) => name.length > 1);
  return { flags: new Set(one), valued: new Set(two), attached: new Set(three), long };
}

/** Reads the option at `at`. Handles `--name=value`, abbreviated long names and bundled letters. */
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

/** Completes an option name: an exact name, or the only name that starts with it. */
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

/** An index at which the operands may begin; `sure` is false when other readings are possible. */
export interface Place {
  at: number;
  sure: boolean;
}

const MAX_PLACES = 6;

/**
 * Finds where the first operand may be, from `from` on, and the options before it. An unknown option may or may not take the
 * next word. Undefined when there are too many readings.
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
