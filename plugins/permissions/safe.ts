import { resolve } from "node:path";
import type { Workspace } from "@scorel/host/contract";
import { isInside } from "./paths.ts";
import type { Unit } from "./shell.ts";

/** What a command may be given so that it only reads the project and prints. */
interface Safe {
  /** Options that stand alone. */
  flags?: RegExp;
  /** Options whose value is the next word. */
  valued?: RegExp;
  /** What the other words are. Default: `paths`. */
  words?: "paths" | "text" | "none";
  /** Words before the paths that are text. */
  text?: number;
}

const COMMANDS: Readonly<Record<string, Safe>> = {
  true: { words: "text" },
  false: { words: "text" },
  ":": { words: "text" },
  echo: { flags: /^-/, words: "text" },
  pwd: { flags: /^-[LP]$/, words: "none" },
  whoami: { words: "none" },
  id: { flags: /^-[gGnru]+$/, words: "none" },
  uname: { flags: /^-[amnoprsv]+$/, words: "none" },
  ls: {
    flags:
      /^-[1aAbBcCdfFgGhHiklLmnopqQrRsStuUvwxX]+$|^--(?:all|almost-all|recursive|human-readable|reverse|directory)$|^--color(?:=\w+)?$/,
  },
  cat: { flags: /^-[AbeEnstTuv]+$/ },
  head: { flags: /^-\d+$|^-[qv]$|^-[nc][+-]?\d+[kM]?$/, valued: /^-[nc]$/ },
  tail: { flags: /^-\d+$|^-[qv]$|^-[nc][+-]?\d+[kM]?$/, valued: /^-[nc]$/ },
  wc: { flags: /^-[clmwL]+$/ },
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

/**
 * Whether a command provably only reads the project and prints: everything in it is known beforehand, every option is one
 * that has no side effect, and every file lies in the project. `readable` is asked for each file.
 */
export function isSafe({ tokens }: Unit, workspace: Workspace, readable: (path: string) => boolean): boolean {
  const [name, ...words] = tokens.map(({ kind, value }) => (kind === "word" ? value : undefined));
  if (name === undefined || !Object.hasOwn(COMMANDS, name) || words.includes(undefined)) return false;
  const command = COMMANDS[name] as Safe;
  const others = operandsOf(words as string[], command);
  if (!others) return false;
  const { words: are = "paths", text = 0 } = command;
  if (are === "text") return true;
  if (are === "none") return others.length === 0;
  const isFile = (word: string) =>
    isInside(resolve(workspace.cwd, word), workspace) && readable(resolve(workspace.cwd, word));
  return others.slice(text).every((word) => word === "-" || isFile(word));
}

/** The words that are no options; undefined when an option is not known to be harmless. */
function operandsOf(words: readonly string[], { flags, valued }: Safe): string[] | undefined {
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
