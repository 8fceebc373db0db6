import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { projectPlace } from "@scorel/kit/files/worktree-place";
import type { PresetPackage } from "@scorel/workspace/contract";
import type { InstructionSnapshot } from "./contract.ts";
import { readInstructionFile } from "./instruction-file.ts";

/** Where to search for instructions. Paths are canonical. */
export interface Ground {
  cwd: string;
  /** The git root above `cwd`; absent outside of git. */
  gitRoot?: string | undefined;
  home: string;
  /** The project's `.scorel` folder, if the user trusts it. */
  trusted?: string | undefined;
  /** Where to read that folder's files. Default: the folder itself. */
  copy?: string | undefined;
}
/** An instruction file that was read. */
export interface InstructionFile {
  path: string;
  text: string;
  sha256: string;
}
export interface Found {
  /** The nearest to the working directory comes last. */
  files: InstructionFile[];
  skipped: InstructionSnapshot["skipped"];
}

const NAMES = ["AGENTS.md", "CLAUDE.md", "CLAUDE.local.md"];
/** The user's own files for all projects, below home; the first that exists is used. */
const OWN = [".scorel/AGENTS.md", ".claude/CLAUDE.md", ".codex/AGENTS.md"];
/** Matches a path of a text after `@`, as in `See @docs/style.md.` */
const IMPORT = /(?<!\S)@((?!\S*\/?\.env)[^\s@`]+?\.(?:md|mdc|markdown|txt))(?=[.,;:!?)]*(?:\s|$))/gi;
/** Files that import each other are read up to this depth, and up to this number in all. */
const MOST_DEEP = 5;
const MOST_IMPORTS = 100;

interface Search {
  found: Found;
  /** Real paths and texts of the files that were read. */
  known: Set<string>;
  importsLeft: number;
}

/** Finds every instruction file that applies to a directory, each text once. */
export function findInstructions(ground: Ground): Found {
  const search = newSearch();
  const { found } = search;
  // The nearest first, so that it wins over a farther file with the same text.
  for (const directory of places(ground)) found.files.unshift(...directory.flatMap((place) => read(place, search)));
  return found;
}

/** Finds the instruction files in one folder of the project, with the texts that they import. */
export function findInFolder(folder: string, { cwd, gitRoot }: Pick<Ground, "cwd" | "gitRoot">): Found {
  const search = newSearch();
  const root = gitRoot ?? cwd;
  const within = gitRoot ?? folder;
  search.found.files = NAMES.flatMap((name) => read({ path: join(folder, name), root, within }, search));
  return search.found;
}

/** Returns the files of `instructions/` in each preset folder, sorted by name. */
export function findFragments(packages: readonly PresetPackage[]): Found {
  const search = newSearch();
  const { found } = search;
  for (const { root, folder } of packages) {
    const dir = join(folder, "instructions");
    const names = textsIn(join(root, "instructions"));
    if (typeof names === "string") found.skipped.push({ path: dir, reason: names });
    else
      for (const name of names)
        found.files.push(...read({ path: join(dir, name), root, from: join(root, "instructions", name) }, search));
  }
  return found;
}

function newSearch(): Search {
  return { found: { files: [], skipped: [] }, known: new Set(), importsLeft: MOST_IMPORTS };
}

/** The names of the texts in a folder, none if it does not exist, or why it cannot be read. */
function textsIn(dir: string): string[] | string {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith(".md"))
      .sort();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return [];
    return code === "ENOTDIR" ? "not a folder" : `not readable (${code})`;
  }
}

/** A possible instruction file. */
interface Place {
  path: string;
  /** Folder that the file must be in. */
  root: string;
  /** Where to read it. Default: `path`. */
  from?: string;
  /** Folder that the texts which it imports must be in. Default: `root`. */
  within?: string;
}

/** Returns the possible files of each directory, nearest first. */
function places({ cwd, gitRoot, home, trusted, copy = trusted }: Ground): Place[][] {
  const dirs = upward(cwd, gitRoot, home);
  const root = dirs.at(-1) as string;
  const inScorel = (dir: string): Place[] => {
    if (trusted === undefined || copy === undefined || dirname(trusted) !== projectPlace(dir)) return [];
    return [{ path: join(trusted, "instructions.md"), root: copy, from: join(copy, "instructions.md") }];
  };
  return [
    ...dirs.map((dir) => [
      ...NAMES.map((name) => ({ path: join(dir, name), root, within: gitRoot === undefined ? dir : root })),
      ...inScorel(dir),
    ]),
    ownPlace(home),
  ];
}

function ownPlace(home: string): Place[] {
  const own = OWN.map((name) => join(home, name)).find((path) => existsSync(path));
  if (own === undefined) return [];
  const root = realpathSync(dirname(own));
  return [{ path: join(root, basename(own)), root }];
}

/**
 * Lists directories from the working directory up to the git root, or to just below home, but not across a change of
 * owner.
 */
function upward(cwd: string, gitRoot: string | undefined, home: string): string[] {
  const owner = ownerOf(cwd);
  const isBelowHome = cwd.startsWith(join(home, "/"));
  const dirs = [cwd];
  if (owner === undefined || (gitRoot === undefined && !isBelowHome)) return dirs;
  for (let dir = cwd; dir !== gitRoot; ) {
    dir = dirname(dir);
    if (dir === home || dir === dirs.at(-1) || ownerOf(dir) !== owner) break;
    dirs.push(dir);
  }
  return dirs;
}

/** Returns the owner of a directory; undefined if it is missing or unreadable. */
function ownerOf(dir: string): number | undefined {
  try {
    return statSync(dir).uid;
  } catch {
    return undefined;
  }
}

/** Reads a file, and then those that it imports. */
function read({ path, root, from = path, within = root }: Place, search: Search, depth = 0): InstructionFile[] {
  const { found, known } = search;
  const file = readInstructionFile(from, root);
  if (file === undefined && depth === 0) return [];
  if (file === undefined || "reason" in file) {
    found.skipped.push({ path, reason: file?.reason ?? "imported, but missing" });
    return [];
  }
  const text = file.text.trim();
  const isRead = known.has(file.real);
  // A file that only imports others, such as `@AGENTS.md`, has no text of its own.
  const isNew = !isRead && !known.has(text) && text.replace(IMPORT, "").trim() !== "";
  known.add(file.real).add(text);
  return [
    ...(isNew ? [{ path, text, sha256: file.sha256 }] : []),
    ...(isRead ? [] : importsOf(text).flatMap((name) => imported(name, { path, root, from, within }, search, depth))),
  ];
}

/** The paths that a text imports with `@`, without those in code. */
function importsOf(text: string): string[] {
  let isCode = false;
  const lines = text.split("\n").filter((line) => {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode;
  });
  const names = lines.flatMap((line) =>
    Array.from(line.replace(/`[^`]*`/g, "`").matchAll(IMPORT), ([, name = ""]) => name),
  );
  return [...new Set(names)];
}

/** Reads an imported text. It has to be in the same repository or, outside of one, below the folder of the importing instructions. */
function imported(name: string, by: Required<Place>, search: Search, depth: number): InstructionFile[] {
  const { skipped } = search.found;
  const [path, from] = [by.path, by.from].map((file) => resolve(dirname(file), name)) as [string, string];
  search.importsLeft -= 1;
  if (name.startsWith("~") || !isWithin(by.within, from))
    skipped.push({ path: name, reason: `imported by ${by.path}, but not in ${by.within}` });
  else if (depth >= MOST_DEEP) skipped.push({ path, reason: `imported through more than ${MOST_DEEP} files` });
  else if (search.importsLeft === -1) skipped.push({ path, reason: `more than ${MOST_IMPORTS} files are imported` });
  else if (search.importsLeft >= 0) return read({ ...by, path, from }, search, depth + 1);
  return [];
}
