import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";

interface Answers {
  real: Map<string, string | undefined>;
  kinds: Map<string, "folder" | "other" | undefined>;
  names: Map<string, readonly string[]>;
}

/** Set while a call is judged. */
let answers: Answers | undefined;

/** Asks the file system once about each path while `judge` runs: a command may name the same one thousands of times. */
export function lookingOnce<T>(judge: () => T): T {
  const before = answers;
  answers ??= { real: new Map(), kinds: new Map(), names: new Map() };
  try {
    return judge();
  } finally {
    answers = before;
  }
}

function once<T>(known: Map<string, T> | undefined, path: string, look: (path: string) => T): T {
  if (!known) return look(path);
  if (!known.has(path)) known.set(path, look(path));
  return known.get(path) as T;
}

/** The real path of what exists, with the rest of the name behind it; undefined when that cannot be told. */
export function realOf(path: string): string | undefined {
  return once(answers?.real, path, lookForReal);
}

function lookForReal(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    // A link that points at nothing yet may point anywhere.
    if (isLink) return realpathSync(path);
    const folder = dirname(path);
    if (folder === path) return path;
    const parent = realOf(folder);
    return parent === undefined ? undefined : join(parent, basename(path));
  } catch (thrown) {
    const code = codeOf(thrown);
    // Nothing can be there, and nothing can be made there.
    return code === "ENAMETOOLONG" || code === "ENOTDIR" ? path : undefined;
  }
}

/** What lies at a path, behind links. */
export function kindOf(path: string): "folder" | "other" | undefined {
  return once(answers?.kinds, path, lookForKind);
}

function lookForKind(path: string): "folder" | "other" | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && (found.isDirectory() ? "folder" : "other");
  } catch {
    return undefined; // Whatever keeps it from being looked at keeps it from being read.
  }
}

/** The names of all that lies in a folder. */
export function namesIn(folder: string): readonly string[] {
  return once(answers?.names, folder, lookForNames);
}

function lookForNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // What is no folder holds nothing.
  }
}
