import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { replaceFile } from "@scorel/kit/files/private";

/** The bytes at the end of the file that are read: a few thousand uses. */
const READ = 64 * 1024;
/** The size in bytes at which the file is cut to the part that is read. */
const MOST = 4 * READ;

/** A file with one line for each load of a skill on this machine, latest last. Deleting it only loses the counts. */
const fileIn = (home: string) => join(home, ".scorel", "cache", "skill-uses");

/** Adds a use. Processes may do so concurrently, since a short line is appended atomically. Throws file system errors. */
export function recordUse(home: string, skill: string): void {
  const file = fileIn(home);
  makeFolder(dirname(file));
  const fd = fs.openSync(file, "a", 0o600);
  try {
    fs.writeSync(fd, `${encodeURIComponent(skill)}\n`);
    if (fs.fstatSync(fd).size <= MOST) return;
  } finally {
    fs.closeSync(fd);
  }
  // A use that another process adds at this moment may be lost, which does not matter for the order.
  replaceFile(file, tailOf(file));
}

/** How often each skill was loaded recently; empty without the file. Throws other file system errors. */
export function usesIn(home: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of tailOf(fileIn(home)).split("\n").filter(Boolean)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return new Map([...counts].map(([line, count]) => [nameOf(line), count]));
}

/** The last complete lines of a file. */
function tailOf(file: string): string {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return "";
  const fd = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(Math.min(size, READ));
    const read = fs.readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    const text = bytes.toString("latin1", 0, read);
    return size > READ ? text.slice(text.indexOf("\n") + 1) : text;
  } finally {
    fs.closeSync(fd);
  }
}

/** Returns a damaged line as is; it matches no skill. */
function nameOf(line: string): string {
  try {
    return decodeURIComponent(line);
  } catch {
    return line;
  }
}
