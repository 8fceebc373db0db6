import * as fs from "node:fs";
import { join } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import type { OutputFile, RunOutputs } from "./contract.ts";
import { readGlob } from "./glob.ts";
import { DEEPEST, type Held, inHeld, openBelow } from "./held.ts";
import { Kept } from "./kept.ts";
import { isText, mimeOf } from "./mime.ts";
import { plainGlob } from "./paths.ts";

const MiB = 1024 * 1024;
const LARGEST_READ = 4 * MiB;
const PRIMARY = 32 * 1024;
/** Entries of a workspace that are looked at. */
const MOST_ENTRIES = 20_000;
const NEVER = new Set([".venv", "node_modules", ".git"]);

/** Which files of a workspace are wanted, and how much of them. */
export interface Wanted extends Required<Pick<RunOutputs, "max_files" | "max_file_bytes" | "max_total_bytes">> {
  globs: readonly string[];
  /** Only what was written or changed after this, in milliseconds of the file system's clock. */
  since?: number;
}
/** A file with its bytes, as far as they were read. */
export interface Collected {
  name: string;
  bytes: Buffer;
  /** On disk. */
  size: number;
  mime: string;
}
export interface Collection {
  files: Collected[];
  warnings: string[];
}

export const defaultLimits = { max_files: 100, max_file_bytes: LARGEST_READ, max_total_bytes: 64 * MiB };

/** The files of a workspace that match, by name. What a link leads to outside is not looked at, and said. */
export function collect(root: string, run: string, { globs, since, ...limits }: Wanted): Collection {
  const plain = globs.map((glob) => plainGlob(glob, run)).filter((glob) => glob !== "" && !/^(\.\.)?(\/|$)/.test(glob));
  const { names, cut } = matching(root, plain);
  const missed = cut
    ? [`only ${MOST_ENTRIES} entries were looked at`]
    : since === undefined && unmet(globs, names, run);
  const collection: Collection = { files: [], warnings: missed || [] };
  const seen = new Set<string>();
  let left = limits.max_total_bytes;
  for (const name of names) {
    const file = openBelow(root, name);
    if (file === undefined) {
      collection.warnings.push(leftOut(name));
      continue;
    }
    try {
      // The time of the inode, which no program sets back.
      if (seen.has(file.real) || file.stat.ctimeMs < (since ?? 0)) continue;
      seen.add(file.real);
      if (collection.files.length >= limits.max_files || left <= 0) {
        collection.warnings.push(
          `there are more files than max_files or max_total_bytes let through; the first left out is ${name}`,
        );
        break;
      }
      const read = collected(name, file, Math.min(limits.max_file_bytes, LARGEST_READ, left));
      left -= read.bytes.length;
      collection.files.push(read);
    } finally {
      fs.closeSync(file.fd);
    }
  }
  return collection;
}

/** What was asked for by name and is not there may be a slip of the pen; all that a folder holds may well be nothing. */
function unmet(globs: readonly string[], names: readonly string[], run: string): string[] {
  const without = globs.filter((glob) => !glob.endsWith("**") && !names.some(matcher([glob], run)));
  return without.map((glob) => `no file of the workspace matches ${glob}`);
}

/** Why nothing is told of what a glob found. */
export function leftOut(name: string): string {
  const isUnreadable = name.includes("\ufffd");
  const why = isUnreadable ? "its name is no UTF-8" : "it leads out of the workspace, or is no file";
  return `${name} was left out: ${why}`;
}

function collected(name: string, { fd, stat: { size } }: { fd: number; stat: fs.Stats }, most: number): Collected {
  const bytes = Buffer.alloc(Math.min(size, most));
  const length = fs.readSync(fd, bytes, 0, bytes.length, 0);
  const got = bytes.subarray(0, length);
  return { name, bytes: got, size, mime: mimeOf(name, got, size > length) };
}

/** What is named letter by letter is not looked for among others; of the rest only the folders that patterns begin with. */
function matching(root: string, globs: readonly string[]): { names: string[]; cut: boolean } {
  const patterns = globs.flatMap(readGlob);
  const named = [...globs, ...patterns.flatMap(({ literal }) => literal ?? [])];
  const found = named.filter((name) => isNoFolder(join(root, name)));
  const open = patterns.filter(({ literal }) => literal === undefined);
  const { names, cut } =
    open.length === 0
      ? { names: [], cut: false }
      : namesBelow(
          root,
          (name) => open.some((pattern) => pattern.matches(name)),
          open.map(({ base }) => base),
        );
  return { names: [...new Set([...names, ...found])].sort(), cut };
}

function isNoFolder(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true && fs.lstatSync(path) !== undefined;
  } catch {
    return false; // Nothing is there.
  }
}

/** Whether a name below a workspace matches one of these globs; `run` is the folder of the run, below the workspace. */
export function matcher(globs: readonly string[], run = "."): (name: string) => boolean {
  const plain = globs.map((glob) => plainGlob(glob, run)).filter((glob) => glob !== "");
  const patterns = plain.flatMap(readGlob);
  return (name) => plain.includes(name) || patterns.some((pattern) => pattern.matches(name));
}

export interface Telling {
  /** Takes secrets out of a text; the file itself is as the program made it. */
  hide(text: string): string;
  /** Bytes that the content may take; none is told where there is no room at all. */
  room: number;
}

/** How a file is told; its content only where a model can read it. */
export function shown({ name, bytes, size, mime }: Collected, { hide, room }: Telling): OutputFile {
  const text = room > 0 && isText(mime) ? textOf(bytes, size > bytes.length) : undefined;
  const content = text === undefined ? undefined : cutTo(hide(text), room);
  const truncated = size > bytes.length || content?.truncated === true;
  return {
    name,
    ref: `workspace://${name}`,
    ...(content !== undefined && { content: String(content) }),
    mime_type: mime,
    size_bytes: size,
    ...(truncated && { truncated }),
  };
}

function cutTo(text: string, most: number): Kept {
  const kept = new Kept(most);
  kept.write(text);
  return kept;
}

/** The first small text by name that says anything. */
export function primary(files: readonly Collected[]): Collected | undefined {
  return files.find(
    ({ bytes, size, mime }) =>
      size <= PRIMARY && size === bytes.length && isText(mime) && (textOf(bytes, false) ?? "").trim() !== "",
  );
}

/**
 * What of a workspace matches, but for folders that only hold what was installed; with `bases` only what lies on the way to or
 * below one of them is looked at.
 */
export function namesBelow(
  root: string,
  matches: (name: string) => boolean,
  bases: readonly string[] = [""],
): { names: string[]; cut: boolean } {
  const names: string[] = [];
  let left = MOST_ENTRIES;
  const isOnTheWay = (folder: string) =>
    bases.some((base) => base === "" || `${base}/`.startsWith(folder) || folder.startsWith(`${base}/`));
  const visit = (held: Held, prefix: string, depth: number) => {
    const folders: string[] = [];
    for (const entry of entriesOf(held)) {
      if (left-- <= 0) return;
      const name = prefix + entry.name;
      if (entry.isDirectory() && !NEVER.has(entry.name) && isOnTheWay(`${name}/`)) folders.push(entry.name);
      // The skill's short names for the workspace's folders are links to what is looked at anyway.
      else if (!entry.isDirectory() && matches(name) && !isFolderLink(held, entry)) names.push(name);
    }
    if (depth === DEEPEST && folders.length > 0) left = -1;
    else for (const name of folders) visitBelow(held, name, (below) => visit(below, `${prefix}${name}/`, depth + 1));
  };
  inHeld(root, root, "workspace", (held) => visit(held, "", 0));
  return { names: names.sort(), cut: left < 0 };
}

/** What went away or may not be entered is as good as not there. */
function visitBelow(held: Held, name: string, visit: (below: Held) => void): void {
  let below: Held;
  try {
    below = held.folder(name);
  } catch {
    return;
  }
  try {
    visit(below);
  } finally {
    below.close();
  }
}

function isFolderLink(held: Held, entry: fs.Dirent): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return fs.statSync(held.path(entry.name), { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // It leads in a circle.
  }
}

function entriesOf(held: Held): fs.Dirent[] {
  try {
    return held.entries();
  } catch {
    return [];
  }
}

/** The regular file behind a name; undefined when it lies outside, or is none. */
export function realFile(root: string, name: string): string | undefined {
  try {
    const real = fs.realpathSync(join(root, name));
    return isWithin(root, real) && fs.lstatSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for what is no text after all; a letter that was cut at the end is left out. */
function textOf(bytes: Buffer, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}
