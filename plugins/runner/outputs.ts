import * as fs from "node:fs";
import { join } from "node:path";
import picomatch from "picomatch";
import type { OutputFile, RunOutputs } from "./contract.ts";
import { openWithin } from "./folder.ts";
import { Kept } from "./kept.ts";
import { isText, mimeOf } from "./mime.ts";
import { isWithin, plainGlob } from "./paths.ts";

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
export function collect(root: string, run: string, { globs, since = 0, ...limits }: Wanted): Collection {
  const plain = globs.map((glob) => plainGlob(glob, run)).filter((glob) => glob !== "");
  if (plain.length === 0) return { files: [], warnings: [] };
  const matches = picomatch(plain, { dot: true });
  const { names, cut } = namesBelow(root, matches);
  const collection: Collection = { files: [], warnings: cut ? [`only ${MOST_ENTRIES} entries were looked at`] : [] };
  const seen = new Set<string>();
  let left = limits.max_total_bytes;
  for (const name of names) {
    const real = realFile(root, name);
    if (real === undefined)
      collection.warnings.push(`${name} was left out: it leads out of the workspace, or is no file`);
    else if (!seen.has(real) && changedAt(real) >= since) {
      seen.add(real);
      if (collection.files.length >= limits.max_files || left <= 0) {
        collection.warnings.push(
          `there are more files than max_files or max_total_bytes let through; the first left out is ${name}`,
        );
        break;
      }
      const file = read(root, name, real, Math.min(limits.max_file_bytes, LARGEST_READ, left));
      if (file === undefined) continue;
      left -= file.bytes.length;
      collection.files.push(file);
    }
  }
  return collection;
}

/** Whether a name below a workspace matches one of these globs; `run` is the folder of the run, below the workspace. */
export function matcher(globs: readonly string[], run = "."): (name: string) => boolean {
  const plain = globs.map((glob) => plainGlob(glob, run)).filter((glob) => glob !== "");
  return plain.length === 0 ? () => false : picomatch(plain, { dot: true });
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

/** What of a workspace matches, but for folders that only hold what was installed. */
export function namesBelow(root: string, matches: (name: string) => boolean): { names: string[]; cut: boolean } {
  const names: string[] = [];
  let left = MOST_ENTRIES;
  const visit = (prefix: string) => {
    for (const entry of entriesOf(join(root, prefix))) {
      if (left-- <= 0) return;
      const name = prefix + entry.name;
      if (entry.isDirectory() && !NEVER.has(entry.name)) visit(`${name}/`);
      // The skill's short names for the workspace's folders are links to what is looked at anyway.
      else if (!entry.isDirectory() && matches(name) && !isFolderLink(join(root, name), entry)) names.push(name);
    }
  };
  visit("");
  return { names: names.sort(), cut: left <= 0 };
}

function isFolderLink(path: string, entry: fs.Dirent): boolean {
  return entry.isSymbolicLink() && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** What was made unreadable is as good as not there. */
function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
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

/** The time of the inode, which no program sets back. */
function changedAt(real: string): number {
  return fs.lstatSync(real, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

/** Through one descriptor, which no link can be put under; undefined when the file went away meanwhile. */
function read(root: string, name: string, real: string, most: number): Collected | undefined {
  let fd: number;
  try {
    fd = openWithin([root], real, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const { size } = fs.fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, most));
    const length = fs.readSync(fd, bytes, 0, bytes.length, 0);
    const got = bytes.subarray(0, length);
    return { name, bytes: got, size, mime: mimeOf(name, got, size > length) };
  } finally {
    fs.closeSync(fd);
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
