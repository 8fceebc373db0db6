import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";

/** Answers about a file system, by path: real paths, kinds, and names in folders. */
export interface Answers {
  real: Map<string, string | undefined>;
  kinds: Map<string, "folder" | "other" | undefined>;
  names: Map<string, readonly string[]>;
}
/** Questions about an executor's files that have no answer yet: paths by kind of answer. */
export type Questions = { readonly [kind in keyof Answers]: Set<string> };

/** Cached answers; set while a call is judged. */
let answers: Answers | undefined;
/** Set while a call is judged whose files are on another computer; this computer's files are not read then. */
let questions: Questions | undefined;

/**
 * Judges by known answers about an executor's files; an unknown file counts as missing, and its path is added to
 * `asked`.
 */
export function withAnswers<T>(known: Answers, asked: Questions, judge: () => T): T {
  const before = { answers, questions };
  answers = known;
  questions = asked;
  try {
    return judge();
  } finally {
    ({ answers, questions } = before);
  }
}

/** Whether the call that is being judged touches files on another computer. */
export function isElsewhere(): boolean {
  return questions !== undefined;
}

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
  if (questions) return known("real", path, questions);
  return once(answers?.real, path, lookForReal);
}

function lookForReal(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    // Throws for a dangling link: its real path counts as unknown, since the target may be created anywhere later.
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
  if (questions) return known("kinds", path, questions);
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

/** The names in a folder, unsorted; empty for a path that is not a folder or cannot be read. */
export function namesIn(folder: string): readonly string[] {
  if (questions) return known("names", folder, questions) ?? [];
  return once(answers?.names, folder, lookForNames);
}

function known<K extends keyof Answers>(kind: K, path: string, asked: Questions) {
  const of = answers?.[kind] as Answers[K] | undefined;
  if (!of?.has(path)) asked[kind].add(path);
  return of?.get(path) as (Answers[K] extends Map<string, infer V> ? V : never) | undefined;
}

function lookForNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Not a folder, or not readable.
  }
}
