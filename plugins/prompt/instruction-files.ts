import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
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

const NAMES = ["AGENTS.md", "CLAUDE.md"];
/** Matches a file that only refers to the other one. */
const SAME = /^@(\.\/)?AGENTS\.md$/;

/** Finds every instruction file that applies to a directory, each text once. */
export function findInstructions(ground: Ground): Found {
  const found: Found = { files: [], skipped: [] };
  const known = new Set<string>();
  // The nearest first, so that it wins over a farther file with the same text.
  for (const directory of places(ground))
    found.files.unshift(...directory.flatMap((place) => read(place, known, found)));
  return found;
}

/** Returns the files of `instructions/` in each preset folder, sorted by name. */
export function findFragments(packages: readonly PresetPackage[]): Found {
  const found: Found = { files: [], skipped: [] };
  const known = new Set<string>();
  for (const { root, folder } of packages) {
    const dir = join(folder, "instructions");
    const names = textsIn(join(root, "instructions"));
    if (typeof names === "string") found.skipped.push({ path: dir, reason: names });
    else
      for (const name of names)
        found.files.push(
          ...read({ path: join(dir, name), root, from: join(root, "instructions", name) }, known, found),
        );
  }
  return found;
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
}

/** Returns the possible files of each directory, nearest first. */
function places({ cwd, gitRoot, home, trusted, copy = trusted }: Ground): Place[][] {
  const dirs = upward(cwd, gitRoot, home);
  const root = dirs.at(-1) as string;
  const own = join(home, ".scorel");
  const inScorel = (dir: string): Place[] => {
    if (trusted === undefined || copy === undefined || dirname(trusted) !== projectPlace(dir)) return [];
    return [{ path: join(trusted, "instructions.md"), root: copy, from: join(copy, "instructions.md") }];
  };
  const user = existsSync(own) ? realpathSync(own) : undefined;
  return [
    ...dirs.map((dir) => [...NAMES.map((name) => ({ path: join(dir, name), root })), ...inScorel(dir)]),
    ...(user === undefined ? [] : [[{ path: join(user, "AGENTS.md"), root: user }]]),
  ];
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

function read({ path, root, from = path }: Place, known: Set<string>, { skipped }: Found): InstructionFile[] {
  const file = readInstructionFile(from, root);
  if (file === undefined) return [];
  if ("reason" in file) {
    skipped.push({ path, reason: file.reason });
    return [];
  }
  const text = file.text.trim();
  const isNew = text !== "" && !SAME.test(text) && !known.has(file.real) && !known.has(text);
  known.add(file.real).add(text);
  return isNew ? [{ path, text, sha256: file.sha256 }] : [];
}
