import * as fs from "node:fs";
import { join } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import type { OutputFile, RunOutputs } from "../contract.ts";
import { TextHead } from "../run/text-head.ts";
import { readGlob } from "./glob.ts";
import { isText, mimeOf } from "./mime.ts";
import { DEEPEST, inOpenFolder, type OpenFolder, openBelow } from "./open-folder.ts";
import { plainGlob } from "./paths.ts";

const MiB = 1024 * 1024;
const LARGEST_READ = 4 * MiB;
const PRIMARY = 32 * 1024;
/** How many entries of a workspace are searched. */
const MOST_ENTRIES = 20_000;
const NEVER = new Set([".venv", "node_modules", ".git"]);

/** Which files of a workspace to collect, and how much of them. */
export interface Wanted extends Required<Pick<RunOutputs, "max_files" | "max_file_bytes" | "max_total_bytes">> {
  globs: readonly string[];
  /** Collects only files changed after this time, in milliseconds of the file system's clock. */
  since?: number;
}
/** A file with the bytes that were read. */
export interface Collected {
  name: string;
  bytes: Buffer;
  /** The size on disk, in bytes. */
  size: number;
  mime: string;
}
export interface Collection {
  files: Collected[];
  warnings: string[];
}

export const defaultLimits = { max_files: 100, max_file_bytes: LARGEST_READ, max_total_bytes: 64 * MiB };

/** Collects the workspace files that match, sorted by name. A link that leads outside gives a warning instead. */
export function collect(root: string, run: string, { globs, since, ...limits }: Wanted): Collection {
  const plain = globs.map((glob) => plainGlob(glob, run)).filter((glob) => glob !== "" && !/^(\.\.)?(\/|$)/.test(glob));
  const { names, cut } = matching(root, plain);
  const missed = cut
    ? [`only ${MOST_ENTRIES} entries were searched`]
    : since === undefined && unmatchedGlobs(globs, names, run);
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
      // Checks the ctime, which programs cannot set back.
      if (seen.has(file.real) || file.stat.ctimeMs < (since ?? 0)) continue;
      seen.add(file.real);
      if (collection.files.length >= limits.max_files || left <= 0) {
        collection.warnings.push(
          `there are more files than max_files or max_total_bytes allow; the first one left out is ${name}`,
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

/** Warns about globs without a match, which may be misspelled. A glob for a whole folder may well match nothing. */
function unmatchedGlobs(globs: readonly string[], names: readonly string[], run: string): string[] {
  const without = globs.filter((glob) => !glob.endsWith("**") && !names.some(matcher([glob], run)));
  return without.map((glob) => `no file of the workspace matches ${glob}`);
}

/** Why a matching file was left out. */
export function leftOut(name: string): string {
  const isUnreadable = name.includes("\ufffd");
  const why = isUnreadable ? "its name is not UTF-8" : "it leads out of the workspace, or is not a file";
  return `${name} was skipped: ${why}`;
}

function collected(name: string, { fd, stat: { size } }: { fd: number; stat: fs.Stats }, most: number): Collected {
  const bytes = Buffer.alloc(Math.min(size, most));
  const length = fs.readSync(fd, bytes, 0, bytes.length, 0);
  const got = bytes.subarray(0, length);
  return { name, bytes: got, size, mime: mimeOf(name, got, size > length) };
}

/**
 * Finds matching names. Literal names are looked up directly; otherwise only folders that a pattern begins with are searched.
 */
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
    return false; // Nothing exists there.
  }
}

/** Tests whether a workspace-relative name matches one of the globs. `run` is the run's folder, relative to the workspace. */
export function matcher(globs: readonly string[], run = "."): (name: string) => boolean {
  const plain = globs.map((glob) => plainGlob(glob, run)).filter((glob) => glob !== "");
  const patterns = plain.flatMap(readGlob);
  return (name) => plain.includes(name) || patterns.some((pattern) => pattern.matches(name));
}

export interface ShowOptions {
  /** Redacts secrets in a text. The file itself stays unchanged. */
  hide(text: string): string;
  /** Bytes available for content; with 0 the content is left out. */
  room: number;
}

/** Describes a file for the model, with content if the model can read it. */
export function shown({ name, bytes, size, mime }: Collected, { hide, room }: ShowOptions): OutputFile {
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

function cutTo(text: string, most: number): TextHead {
  const kept = new TextHead(most);
  kept.write(text);
  return kept;
}

/** The first small text file by name that is not blank. */
export function primary(files: readonly Collected[]): Collected | undefined {
  return files.find(
    ({ bytes, size, mime }) =>
      size <= PRIMARY && size === bytes.length && isText(mime) && (textOf(bytes, false) ?? "").trim() !== "",
  );
}

/**
 * Names of matching files in a workspace, without folders of installed packages. With `bases`, only these folders are searched.
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
  const visit = (dir: OpenFolder, prefix: string, depth: number) => {
    const folders: string[] = [];
    for (const entry of entriesOf(dir)) {
      if (left-- <= 0) return;
      const name = prefix + entry.name;
      if (entry.isDirectory() && !NEVER.has(entry.name) && isOnTheWay(`${name}/`)) folders.push(entry.name);
      // Links to folders are skipped: a skill's `out`, `work` and `inputs` link to folders that are searched anyway.
      else if (!entry.isDirectory() && matches(name) && !isFolderLink(dir, entry)) names.push(name);
    }
    if (depth === DEEPEST && folders.length > 0) left = -1;
    else for (const name of folders) visitBelow(dir, name, (below) => visit(below, `${prefix}${name}/`, depth + 1));
  };
  inOpenFolder(root, root, "workspace", (dir) => visit(dir, "", 0));
  return { names: names.sort(), cut: left < 0 };
}

/** Skips a folder that was removed or cannot be entered. */
function visitBelow(dir: OpenFolder, name: string, visit: (below: OpenFolder) => void): void {
  let below: OpenFolder;
  try {
    below = dir.folder(name);
  } catch {
    return;
  }
  try {
    visit(below);
  } finally {
    below.close();
  }
}

function isFolderLink(dir: OpenFolder, entry: fs.Dirent): boolean {
  if (!entry.isSymbolicLink()) return false;
  try {
    return fs.statSync(dir.path(entry.name), { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false; // The link is circular.
  }
}

function entriesOf(dir: OpenFolder): fs.Dirent[] {
  try {
    return dir.entries();
  } catch {
    return [];
  }
}

/** The real path of a regular file; undefined if it is outside of `root` or not a file. */
export function realFile(root: string, name: string): string | undefined {
  try {
    const real = fs.realpathSync(join(root, name));
    return isWithin(root, real) && fs.lstatSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes as text; undefined if they are not UTF-8. With `cut`, an incomplete character at the end is left out. */
function textOf(bytes: Buffer, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}
