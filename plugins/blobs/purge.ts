import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { holderOf, isHeld } from "@scorel/kit/files/lock";
import { slices } from "@scorel/kit/values/slices";
import { errors } from "./errors.ts";
import { LIST } from "./store.ts";

/** A blob newer than this may still be waiting for the event that refers to it. */
const GRACE_MS = 60 * 60 * 1000;
const CHUNK = 1024 * 1024;
/** A hash as a string of JSON, whatever its field is called. */
const REFERENCE = /"([0-9a-f]{64})"/g;
/** The longest part of a reference that may be split between chunks. */
const LONGEST_PART = '"'.length + 64;

/** Lets the event loop turn, if it is time for that. */
type Pause = ReturnType<typeof slices>;

export interface PurgePlaces {
  blobs: string;
  sessions: string;
  /** Other folders with files that may refer to blobs. */
  others: readonly string[];
  /** Milliseconds since 1970. */
  now: number;
}

/** Counts of blobs, and the bytes of those that were removed. */
export interface Purged {
  removed: number;
  bytes: number;
  kept: number;
}

/**
 * Removes blobs that nothing refers to, or is about to refer to. Sessions of this process and of others go on meanwhile. Throws
 * BLOBS_UNREADABLE.
 */
export async function purge({ blobs, sessions, others, now }: PurgePlaces): Promise<Purged> {
  // Sessions that start after this check write blobs that are recent.
  const before = Math.min(now, ...holdersSince(sessions)) - GRACE_MS;
  const pause = slices();
  const wanted = await referencesIn([sessions, ...others], pause);
  // Iterating a set includes entries that are added meanwhile.
  for (const hash of wanted) {
    await collectListed(join(blobs, hash.slice(0, 2), hash), wanted, pause);
    await pause();
  }
  const result = { removed: 0, bytes: 0, kept: 0 };
  for (const path of filesBelow(blobs)) {
    await pause();
    const name = path.slice(path.lastIndexOf("/") + 1);
    const bytes = wanted.has(name) ? undefined : removeIfOlder(path, before);
    if (bytes === undefined) result.kept++;
    else {
      result.removed++;
      result.bytes += bytes;
    }
  }
  return result;
}

/** The start times of sessions in use. Their blobs that nothing refers to yet are not older than that. */
function holdersSince(sessions: string): number[] {
  return namesIn(sessions)
    .filter((name) => name.endsWith(".lock"))
    .flatMap((name) => {
      const path = join(sessions, name);
      const stat = fs.lstatSync(path, { throwIfNoEntry: false });
      return stat && mayBeHeld(path) ? [stat.mtimeMs] : [];
    });
}

/** Whether a lock may be in use. One of a process in another container or on another machine may be, and one that cannot be read. */
function mayBeHeld(path: string): boolean {
  try {
    const holder = holderOf(path);
    return holder !== undefined && isHeld(path, holder);
  } catch {
    return true;
  }
}

/** Renames a blob before removing it. A session that needs it meanwhile then writes it again, or has refreshed its time before. */
function removeIfOlder(path: string, before: number): number | undefined {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.mtimeMs >= before) return undefined;
  const aside = `${path}.${newId()}.gone`;
  if (!moveIfThere(path, aside)) return undefined;
  const { mtimeMs, size } = fs.lstatSync(aside);
  if (mtimeMs >= before) {
    fs.renameSync(aside, path);
    return undefined;
  }
  fs.unlinkSync(aside);
  return size;
}

/** Returns false if another purge was faster. */
function moveIfThere(path: string, to: string): boolean {
  try {
    fs.renameSync(path, to);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

/**
 * The hashes in all files below these folders, whatever their type. Another process may move a session from one folder to the other meanwhile,
 * so the folders are listed until they have no file that was not read.
 */
export async function referencesIn(folders: readonly string[], pause: Pause = slices()): Promise<Set<string>> {
  const found = new Set<string>();
  const read = new Set<string>();
  const unread = () => folders.flatMap(filesBelow).filter((path) => !read.has(path));
  for (let paths = unread(); paths.length > 0; paths = unread())
    for (const path of paths) {
      await collect(path, found, pause);
      read.add(path);
    }
  return found;
}

/** Adds all hashes in a file; none if it is gone. */
async function collect(path: string, wanted: Set<string>, pause: Pause): Promise<void> {
  try {
    const fd = fs.openSync(path, "r");
    try {
      await collectFrom(fd, wanted, pause);
    } finally {
      fs.closeSync(fd);
    }
  } catch (thrown) {
    const reason = codeOf(thrown);
    if (reason !== "ENOENT") throw errors.BLOBS_UNREADABLE({ path, reason }, { cause: thrown });
  }
}

/** Adds the hashes in a blob, if it is a list. */
async function collectListed(path: string, wanted: Set<string>, pause: Pause): Promise<void> {
  if (beginning(path, LIST.length) === LIST) await collect(path, wanted, pause);
}

function beginning(path: string, length: number): string {
  try {
    const fd = fs.openSync(path, "r");
    try {
      const bytes = Buffer.alloc(length);
      return bytes.toString("latin1", 0, fs.readSync(fd, bytes));
    } finally {
      fs.closeSync(fd);
    }
  } catch (thrown) {
    const reason = codeOf(thrown);
    if (reason === "ENOENT") return "";
    throw errors.BLOBS_UNREADABLE({ path, reason }, { cause: thrown });
  }
}

async function collectFrom(fd: number, wanted: Set<string>, pause: Pause): Promise<void> {
  const bytes = Buffer.alloc(CHUNK);
  let rest = "";
  for (let length = fs.readSync(fd, bytes); length > 0; length = fs.readSync(fd, bytes)) {
    const text = rest + bytes.toString("latin1", 0, length);
    // A copy: a part of a string would keep the whole chunk in memory.
    for (const [, hash = ""] of text.matchAll(REFERENCE)) wanted.add(Buffer.from(hash).toString());
    rest = text.slice(-LONGEST_PART);
    await pause();
  }
}

function filesBelow(folder: string): string[] {
  return entriesIn(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path);
    return entry.isFile() || (entry.isSymbolicLink() && leadsToFile(path)) ? [path] : [];
  });
}

/** Whether a link leads to a file, for example to a log that was moved to another disk. */
function leadsToFile(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch (thrown) {
    const reason = codeOf(thrown);
    if (reason === "ELOOP") return false;
    throw errors.BLOBS_UNREADABLE({ path, reason }, { cause: thrown });
  }
}

function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ name }) => name);
}

function entriesIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    const reason = codeOf(thrown);
    if (reason === "ENOENT") return [];
    throw errors.BLOBS_UNREADABLE({ path: folder, reason }, { cause: thrown });
  }
}
