import { delimiter, isAbsolute } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";

/** Programs that only read and print, with the options that do not change that. */
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

/** Separators between the commands of a line. */
const JOINTS = /&&|\|\||[|;]/;
/** Words without special meaning in any shell. */
const PLAIN = /^[\w./:=@%+,-]+(?:[ \t]+[\w./:=@%+,-]+)*$/;

/**
 * Whether a call certainly changes no file in `root`: a line of plain words in which each command only reads. Expansions,
 * redirections and substitutions make the answer false.
 */
export function onlyReads(tool: string, args: unknown, root: string, PATH = process.env.PATH ?? ""): boolean {
  const { command, background } = (args ?? {}) as { command?: unknown; background?: unknown };
  if (tool !== "Bash" || typeof command !== "string" || background) return false;
  const folders = PATH.split(delimiter);
  return (
    command.split(JOINTS).every((part) => isReader(part.trim())) && folders.every((folder) => isElsewhere(folder, root))
  );
}

/** Whether a PATH folder is outside of the project. A program inside the project may be anything. */
function isElsewhere(folder: string, root: string): boolean {
  return isAbsolute(folder) && !isWithin(root, folder);
}

function isReader(command: string): boolean {
  if (!PLAIN.test(command)) return false;
  const [name = "", ...words] = command.split(/[ \t]+/);
  const options = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  return options !== undefined && words.every((word) => !word.startsWith("-") || options.test(word));
}
