import { delimiter, isAbsolute, sep } from "node:path";

/** Programs that, given nothing but these options and names, only read and print. */
const READERS: Readonly<Record<string, RegExp>> = {
  true: /./,
  false: /./,
  pwd: /^-[LP]$/,
  echo: /./,
  ls: /^-[1aAdFghHilnopqrRsStuUvX]+$/,
  cat: /^-[AbeEnstTuv]+$/,
  head: /^-(?:[qv]|[nc]?\d+|[nc])$/,
  tail: /^-(?:[qv]|[nc]?\d+|[nc])$/,
  wc: /^-[clmwL]+$/,
  grep: /^-(?:[EFGPivwxclLnHhoqsrR]+|[ABCm]\d*)$/,
  which: /^-a$/,
  basename: /./,
  dirname: /./,
  stat: /^-[Lt]$/,
  du: /^-[abchkmsx]+$/,
  df: /^-[ahikPT]+$/,
};

/** Between commands of a line: each of them only reads when all do. */
const JOINTS = /\s*(?:&&|\|\||\||;)\s*/;
/** Words whose meaning no shell changes, apart from what separates them. */
const PLAIN = /^[\w./:=@%+,-]+(?:[ \t]+[\w./:=@%+,-]+)*$/;

/**
 * Whether a call provably changes no file of the project in `root`: a line of plain words, each command of it a program that
 * only reads. Whatever a shell would replace, redirect or run in addition makes the answer no.
 */
export function onlyReads(tool: string, args: unknown, root: string, PATH = process.env.PATH ?? ""): boolean {
  const { command, background } = (args ?? {}) as { command?: unknown; background?: unknown };
  if (tool !== "Bash" || typeof command !== "string" || background) return false;
  return (
    command.trim().split(JOINTS).every(isReader) && PATH.split(delimiter).every((folder) => isElsewhere(folder, root))
  );
}

/** Programs that lie in the project may be anything, whatever their names. */
function isElsewhere(folder: string, root: string): boolean {
  return isAbsolute(folder) && folder !== root && !folder.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function isReader(command: string): boolean {
  if (!PLAIN.test(command)) return false;
  const [name = "", ...words] = command.split(/[ \t]+/);
  const options = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  return options !== undefined && words.every((word) => !word.startsWith("-") || options.test(word));
}
