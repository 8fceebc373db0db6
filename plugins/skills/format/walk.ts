import { type Dirent, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isWithin, realOf } from "@scorel/kit/files/paths";

/** How deep below a root skills are searched for. */
const DEEPEST = 6;
/** How many folders below a root, and entries below a skill, are searched. */
const MOST = 2_000;
/** The root itself is visited like the folders below it, but is none of them. */
const ROOT = 1;
const SKIPPED = new Set([".git", "node_modules", ".venv"]);

/** Characters that break a line or disguise a name. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{e0000}-\u{e007f}]/gu;

/** A folder with a SKILL.md. */
export interface SkillFolder {
  path: string;
  /** The name of the file: `SKILL.md` or `skill.md`. */
  file: string;
  /** The real folder that all its files must be inside. */
  root: string;
  /** The expected hash of its SKILL.md, for an installed skill. */
  sha256?: string;
}

/**
 * Finds all folders with a SKILL.md at or below `root`, including nested ones, in path order. Links to folders are not
 * followed, except directly in the root if `links` is set, since people keep skills elsewhere.
 */
export function skillFolders(root: string, links: boolean): { real: string; folders: SkillFolder[]; note?: string } {
  const real = realOf(root);
  if (real === undefined) return { real: root, folders: [] };
  const walk: Walk = { folders: [], left: MOST + ROOT, unread: undefined };
  visit(real, real, 0, walk);
  if (links) for (const target of linkedFolders(real)) visit(target, target, 1, walk);
  const { unread, left } = walk;
  const odd = unread === undefined ? undefined : `${seen(unread)} in it is not read, since its name is not UTF-8`;
  const note = left < 0 ? `more than ${MOST} folders` : odd;
  return { real, folders: walk.folders, ...(note !== undefined && { note }) };
}

/**
 * The relative paths of all files below a real folder, sorted, without those of nested skills. A link counts if its target is a
 * file inside the folder.
 */
export function filesBelow(folder: string): { files: string[]; note?: string } {
  const files: string[] = [];
  let left = MOST;
  const add = (path: string, prefix: string, depth: number) => {
    for (const entry of entriesOf(path)) {
      if (left-- <= 0) return;
      const name = prefix + entry.name;
      if (entry.isFile() || (entry.isSymbolicLink() && isFileIn(folder, join(path, entry.name)))) files.push(name);
      else if (entry.isDirectory() && depth < DEEPEST && !SKIPPED.has(entry.name)) {
        const below = join(path, entry.name);
        if (skillFileIn(entriesOf(below)) === undefined) add(below, `${name}/`, depth + 1);
      }
    }
  };
  add(folder, "", 0);
  files.sort();
  return left >= 0 ? { files } : { files, note: `more than ${MOST} files` };
}

interface Walk {
  folders: SkillFolder[];
  left: number;
  /** A folder whose name is not valid UTF-8, so it cannot be opened. */
  unread: string | undefined;
}

function visit(path: string, root: string, depth: number, walk: Walk): void {
  if (walk.left-- <= 0) return;
  const entries = entriesOf(path);
  const file = skillFileIn(entries);
  if (file !== undefined) walk.folders.push({ path, file, root });
  if (depth >= DEEPEST) return;
  for (const entry of entries) {
    if (!entry.isDirectory() || SKIPPED.has(entry.name)) continue;
    const below = join(path, entry.name);
    if (entry.name.includes("\ufffd") && realOf(below) === undefined) walk.unread ??= below;
    else visit(below, root, depth + 1, walk);
  }
}

function skillFileIn(entries: readonly Dirent[]): string | undefined {
  const names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
  return ["SKILL.md", "skill.md"].find((name) => names.includes(name));
}

function isFileIn(folder: string, link: string): boolean {
  const real = realOf(link);
  return real !== undefined && isWithin(folder, real) && statSync(real, { throwIfNoEntry: false })?.isFile() === true;
}

function linkedFolders(root: string): string[] {
  const links = entriesOf(root).filter((entry) => entry.isSymbolicLink());
  return links.flatMap(({ name }) => {
    const real = realOf(join(root, name));
    return real !== undefined && statSync(real, { throwIfNoEntry: false })?.isDirectory() ? [real] : [];
  });
}

/** Sorted, so that results do not depend on the file system; empty if the folder cannot be read. */
function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // The folder was removed or cannot be read, so it has no skills.
    return [];
  }
}

/** A path on one line, with invisible characters written as `\u{a}`. */
export function seen(path: string): string {
  return path.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}
