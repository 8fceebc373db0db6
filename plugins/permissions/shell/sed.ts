import { hasGap } from "./gaps.ts";
import { optionTable, readOption } from "./options.ts";

/** What a sed script does besides editing text. */
export interface SedEffects {
  runs: boolean;
  /** Whether it names files to read or write. */
  files: boolean;
}
/** What sed's arguments say. */
export interface SedWords {
  /** Undefined when the script is in a file. */
  script?: string;
  inPlace: boolean;
  /** Whether an option is unknown. */
  unknown: boolean;
  /** The index of the first file argument. */
  filesAt: number;
}

const OPTIONS = optionTable(
  "n r E s u z quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox follow-symlinks help version",
  "e f l expression file line-length",
  "i in-place",
);
const ADDRESS = /^(?:\d+(?:~\d+)?|\$|\/(?:\\[\s\S]|[^\\/])*\/[IM]*|\\([^\\\n])(?:\\[\s\S]|(?!\1)[^\\])*?\1[IM]*)/;
/** An entry of a bracket expression that every sed reads alike. */
const ENTRY = /\[:[a-z]+:\]|\\[^[\]]|\[(?![:.=])|[^[\]\\]/.source;
/** A regular expression whose bracket expressions are complete. In others, some versions of sed look for the end of the whole. */
const COMPLETE = new RegExp(
  `^(?:\\\\[\\s\\S]|[^[\\\\]|\\[(?:\\^(?:\\]|${ENTRY})|\\]|(?!\\^)(?:${ENTRY}))(?:${ENTRY})*\\])*$`,
);

/** Parses sed's arguments. */
export function readSedWords(words: readonly string[]): SedWords {
  const scripts: string[] = [];
  const found: SedWords = { inPlace: false, unknown: false, filesAt: words.length };
  let isFile = false;
  const operands: number[] = [];
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") {
      for (let rest = at + 1; rest < words.length; rest++) operands.push(rest);
      break;
    }
    if (!word.startsWith("-") || word === "-") {
      operands.push(at);
      continue;
    }
    const { options, takes, known } = readOption(words, at, OPTIONS);
    for (const { name, value = "" } of options) {
      if (name === "e" || name === "expression") scripts.push(value);
      if (name === "f" || name === "file") isFile = true;
      if (name === "i" || name === "in-place") found.inPlace = true;
    }
    found.unknown ||= !known;
    at += takes - 1;
  }
  if (scripts.length === 0 && !isFile && operands.length > 0) scripts.push(words[operands.shift() as number] as string);
  found.filesAt = operands[0] ?? words.length;
  return isFile ? found : { ...found, script: scripts.join("\n") };
}

/** Parses a sed script; undefined when it cannot be parsed. */
export function sedEffects(script: string): SedEffects | undefined {
  const effects: SedEffects = { runs: false, files: false };
  let rest = script;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    const match = pattern.exec(rest) ?? undefined;
    if (match) rest = rest.slice(match[0].length);
    return match;
  };
  for (;;) {
    take(/^(?:[\s;{}]|#[^\n]*)+/);
    if (rest === "") return effects;
    const addresses = [take(ADDRESS)];
    if (addresses[0] && take(/^\s*,\s*/)) addresses.push(take(ADDRESS) ?? take(/^[+~]\d+/));
    if (addresses.length > 1 && !addresses[1]) return undefined;
    if (!addresses.every((address) => COMPLETE.test(address?.[0] ?? ""))) return undefined;
    take(/^[\s!]+/);
    const [command = ""] = take(/^[\s\S]/) ?? [];
    if (command === "s" || command === "y") {
      const flags = substitution(take, command === "s");
      if (flags === undefined || (command === "y" && flags !== "")) return undefined;
      if (/[eE]/.test(flags)) effects.runs = true;
      if (/w/.test(flags)) {
        effects.files = true;
        take(/^[^\n]*/);
      }
    } else if (/^[aic]$/.test(command)) take(/^(?:\\[\s\S]|[^\\\n])*/);
    else if (/^[rRwW]$/.test(command)) {
      effects.files = true;
      take(/^[^\n]*/);
    } else if (command === "e") {
      effects.runs = true;
      take(/^[^\n]*/);
    } else if (/^[:btT]$/.test(command)) take(/^[ \t]*\w*/);
    else if (/^[lqQL]$/.test(command)) take(/^[ \t]*\d*/);
    else if (!/^[=dDgGhHnNpPxzF{}]$/.test(command)) return undefined;
    if (!/^(?:[ \t]*(?:[;\n}#]|$))/.test(rest) && command !== "{") return undefined;
  }
}

/** Consumes the two parts of a substitution and returns its flags; undefined when it is incomplete. */
function substitution(take: (pattern: RegExp) => RegExpExecArray | undefined, isRegular: boolean): string | undefined {
  const [delimiter = "\\"] = take(/^[^\n]/) ?? [];
  if (delimiter === "\\") return undefined;
  const quoted = delimiter.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  const part = new RegExp(`^(?:\\\\[\\s\\S]|(?!${quoted})[^\\\\])*${quoted}`);
  const sought = take(part)?.[0].slice(0, -1);
  if (sought === undefined || (isRegular && !COMPLETE.test(sought)) || !take(part)) return undefined;
  return take(/^[gpiImMe0-9]*w?/)?.[0];
}

/** Whether a sed command may run other commands. */
export function mayRunCommands(words: readonly string[]): boolean {
  const { script, unknown } = readSedWords(words);
  if (unknown) return true;
  if (script === undefined) return words.some((word) => /^-$|^\/dev\/|^\/proc\/|=-$/.test(word) || hasGap(word));
  if (hasGap(script)) return true;
  return sedEffects(script)?.runs ?? true;
}
