import { readSedWords, sedEffects } from "../shell/sed.ts";
import { programOf } from "../tables/index.ts";
import { operandsBehind, uncoveredBy } from "../tables/table.ts";

/** Which arguments keep a program read-only. */
interface Free {
  flags?: RegExp;
  valued?: RegExp;
  /** What the operands are; `paths` by default. A program with a slash in its name is looked for at that path. */
  words?: "paths" | "programs" | "text" | "none";
  /** How many operands before the paths are plain text. */
  text?: number;
  /** Text that no word may contain. */
  not?: RegExp;
  /** A pattern that every operand must match. */
  only?: RegExp;
}

const CHECKSUM: Free = { flags: /^-[bt]$|^--(?:binary|text|tag)$/ };

const PROGRAMS: Readonly<Record<string, Free>> = {
  true: { words: "text" },
  false: { words: "text" },
  ":": { words: "text" },
  echo: { flags: /^-/, words: "text" },
  // Numbers and `%n` may name variables whose subscripts some shells evaluate; `-v` sets a variable.
  printf: { words: "text", not: /%[-+ #\d.]*[^-+ #\d.sbcq%]/ },
  pwd: { flags: /^-[LP]$/, words: "none" },
  whoami: { words: "none" },
  id: { flags: /^-[gGnru]+$/, words: "none" },
  uname: { flags: /^-[amnoprsv]+$/, words: "none" },
  date: {
    flags: /^-[uR]+$|^-I(?:date|hours|minutes|seconds|ns)?$|^--(?:utc|iso-8601(?:=\w+)?|rfc-3339=\w+|date=.*)$/,
    valued: /^-d$/,
    words: "text",
    // Any other word sets the clock.
    only: /^\+/,
  },
  which: { flags: /^-a$/, words: "programs" },
  type: { flags: /^-[aptP]+$/, words: "programs" },
  ls: {
    flags:
      /^-[1aAbBcCdfFgGhHiklmnopqQrRsStuUvwxX]+$|^--(?:all|almost-all|recursive|human-readable|reverse|directory)$|^--color(?:=\w+)?$/,
  },
  cat: { flags: /^-[AbeEnstTuv]+$/ },
  tac: {},
  nl: { flags: /^-[bdfhilnpsvw]\S+$|^-p$/, valued: /^-[bdfhilnsvw]$/ },
  head: { flags: /^-\d+$|^-[qv]$|^-[nc][+-]?\d+[kM]?$/, valued: /^-[nc]$/ },
  tail: { flags: /^-\d+$|^-[qv]$|^-[nc][+-]?\d+[kM]?$/, valued: /^-[nc]$/ },
  wc: { flags: /^-[clmwL]+$|^--(?:bytes|chars|lines|words)$/ },
  stat: { flags: /^-[Lft]+$|^--(?:format|printf)=.*$/s, valued: /^-c$/ },
  file: { flags: /^-[bikhLNnr0]+$|^--(?:brief|mime|mime-type|mime-encoding)$/ },
  du: {
    flags:
      /^-[0abchklmsSx]+$|^-d\d+$|^--(?:max-depth|exclude)=.*$|^--(?:all|apparent-size|bytes|human-readable|summarize|total)$/,
    valued: /^-d$/,
  },
  realpath: { flags: /^-[emsqz]+$/ },
  readlink: { flags: /^-[efmnqsvz]+$/ },
  md5sum: CHECKSUM,
  sha1sum: CHECKSUM,
  sha256sum: CHECKSUM,
  sha512sum: CHECKSUM,
  cksum: {},
  sort: { flags: /^-[bdfghinrRsuVz]+$/, valued: /^-[kt]$/ },
  uniq: { flags: /^-[cdiu]+$/, words: "none" },
  cut: { flags: /^-[dfcb].+$|^-s$/, valued: /^-[dfcb]$/ },
  tr: { flags: /^-[cCds]+$/, words: "text" },
  basename: { words: "text" },
  dirname: { words: "text" },
  seq: { words: "text" },
  sleep: { words: "text" },
  diff: { flags: /^-[abBiNqrsuwy]+$|^-U\d+$/ },
  cmp: { flags: /^-[bls]+$/ },
  grep: {
    flags: /^-[EFGPivwxclLnHhoqsr]+$|^-[ABCm]\d+$|^--(?:include|exclude|exclude-dir|color)=.*$/,
    valued: /^-[ABCm]$/,
    text: 1,
  },
  egrep: { flags: /^-[ivwxclLnHhoqsr]+$/, text: 1 },
  fgrep: { flags: /^-[ivwxclLnHhoqsr]+$/, text: 1 },
  find: {
    flags: /^-(?:print|print0|empty|not|o|a|or|and|depth|mount|xdev|prune)$|^[!()]$/,
    valued: /^-(?:name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|perm|user|group)$/,
  },
  test: { flags: /^-[defhLnrsSwxz]$|^-(?:eq|ne|lt|le|gt|ge|nt|ot|a|o)$|^!?=$|^==$|^!$/ },
  "[": { flags: /^-[defhLnrsSwxz]$|^-(?:eq|ne|lt|le|gt|ge|nt|ot|a|o)$|^!?=$|^==$|^[!\]]$/ },
};
/** Programs that print their version. Only these are safe: others let a file in the project choose which program answers. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  node: /^(?:--version|-v)$/,
  python: /^(?:--version|-V)$/,
  python3: /^(?:--version|-V)$/,
  git: /^--version$/,
  rg: /^--version$/,
  jq: /^--version$/,
};

/**
 * The words of a command that name files, or undefined when the command is not known to be read-only. The first word is the
 * program's name.
 */
export function filesNamed(words: readonly string[]): string[] | undefined {
  const [name = "", ...rest] = words;
  if (Object.hasOwn(VERSIONS, name) && rest.length === 1 && VERSIONS[name]?.test(rest[0] as string)) return [];
  if (name === "sed") return filesOfSed(words);
  if (name === "rg") return filesOfRipgrep(words);
  return Object.hasOwn(PROGRAMS, name) ? filesByTable(rest, PROGRAMS[name] as Free) : undefined;
}

function filesByTable(words: readonly string[], free: Free): string[] | undefined {
  const others = operandsOf(words, free);
  const { words: are = "paths", text = 0, not, only } = free;
  if (!others || words.some((word) => not?.test(word))) return undefined;
  if (only && !others.every((word) => only.test(word))) return undefined;
  if (are === "text") return [];
  if (are === "programs") return others.filter((word) => word.includes("/"));
  if (are === "none") return others.length === 0 ? [] : undefined;
  return others.slice(text).filter((word) => word !== "-");
}

/** The operands; undefined when an option is not known to be harmless. */
function operandsOf(words: readonly string[], { flags, valued }: Free): string[] | undefined {
  const others: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (valued?.test(word)) at++;
    else if (flags?.test(word)) continue;
    else if (/^-./.test(word)) return undefined;
    else others.push(word);
  }
  return others;
}

/** Whether a program also reads the files behind links in the folders that its words name. */
export function followsLinks(name: string | undefined): boolean {
  return name === "diff";
}

/** The files of a sed command; undefined if its script runs programs, names files or edits in place. */
function filesOfSed(words: readonly string[]): string[] | undefined {
  const { script, inPlace, unknown, filesAt } = readSedWords(words);
  const effects = script === undefined ? undefined : sedEffects(script);
  if (unknown || inPlace || words.includes("--") || !effects || effects.runs || effects.files) return undefined;
  return words.slice(filesAt).filter((word) => !/^-/.test(word));
}

/** The files of an rg command; undefined with an option that follows links, which may lead anywhere. */
function filesOfRipgrep(words: readonly string[]): string[] | undefined {
  const program = programOf("rg");
  if (!program || uncoveredBy(program, words).from < words.length) return undefined;
  const { operands, options } = operandsBehind(program, words);
  if (options.some((name) => name === "L" || name === "follow")) return undefined;
  const hasPattern = options.some((name) => /^(?:e|regexp|files|type-list)$/.test(name));
  return hasPattern ? operands : operands.slice(1);
}
