import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";

interface Answers {
  real: Map<string, string | undefined>;
  kinds: Map<string, "folder" | "other" | undefined>;
  names: Map<string, readonly string[]>;
}

/** Cached answers; set while a call is judged. */
let answers: Answers | undefined;

/** Caches file system answers while `judge` runs, since a command may name the same path thousands of times. */
export function withFileCache<T>(judge: () => T): T {
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

/** The real path, with the missing part of the name appended; undefined when it cannot be determined. */
export function leadsTo(path: string): string | undefined {
  return once(answers?.real, path, lookForReal);
}

function lookForReal(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    // Throws for a dangling link, which may come to point anywhere.
    if (isLink) return realpathSync(path);
    const folder = dirname(path);
    if (folder === path) return path;
    const parent = leadsTo(folder);
    return parent === undefined ? undefined : join(parent, basename(path));
  } catch (thrown) {
    const code = codeOf(thrown);
    // No file can exist or be created at such a path.
    return code === "ENAMETOOLONG" || code === "ENOTDIR" ? path : undefined;
  }
}

/** Whether a path is a folder or another kind of file, following links. */
export function kindOf(path: string): "folder" | "other" | undefined {
  return once(answers?.kinds, path, lookForKind);
}

function lookForKind(path: string): "folder" | "other" | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found && (found.isDirectory() ? "folder" : "other");
  } catch {
    return undefined; // A path that cannot be examined cannot be read either.
  }
}

export function namesIn(folder: string): readonly string[] {
  return once(answers?.names, folder, lookForNames);
}

function lookForNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Not a folder, or not readable.
  }
}
