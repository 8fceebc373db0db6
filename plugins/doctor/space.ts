import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sizeText } from "@scorel/kit/text/size";
import type { CheckContext, Part } from "./check-context.ts";
import type { Finding } from "./contract.ts";

const MB = 2 ** 20;
/** Below LITTLE a session cannot go on for long; below NOTHING it may not even start. */
const LITTLE = 256 * MB;
const NOTHING = 4 * MB;
/** Size of the trash in bytes from which it is reported. */
const FULL_TRASH = 100 * MB;
/** Maximum number of files counted per folder. */
const ENOUGH = 20_000;
const FOLDERS = ["sessions", "trash", "blobs", "cache"];

/** Checks the free space on the disk of ~/.scorel and what uses it. */
export function checkSpace({ home }: Pick<CheckContext, "home">): Part {
  if (home === undefined) return { findings: [] };
  const used = Object.fromEntries(FOLDERS.map((name) => [name, sizeOf(join(home, name))]));
  try {
    const { bavail, bsize, blocks, files, ffree } = fs.statfsSync(existing(home));
    if (blocks === 0) return { findings: [unknown(home, "its file system does not tell its size")] };
    const free = bavail * bsize;
    const noNames = files > 0 && ffree === 0;
    return { space: { free, used }, findings: [aboutRoom(home, free, noNames), ...aboutTrash(home, used.trash ?? 0)] };
  } catch (thrown) {
    return { findings: [unknown(home, codeOf(thrown))] };
  }
}

function unknown(where: string, reason: string): Finding {
  const what = `The free space cannot be determined (${reason}).`;
  return { code: "DISK_UNKNOWN", severity: "warning", what, where, doNext: "" };
}

function aboutRoom(where: string, free: number, noNames: boolean): Finding {
  const doNext = "Free some: `scorel session purge` empties the trash, `du -sh ~/.scorel/*` shows what is large.";
  const left = `${sizeText(free)} are free.`;
  if (noNames)
    return { code: "DISK_FULL", severity: "error", what: "The disk has no room for another file.", where, doNext };
  if (free < NOTHING) return { code: "DISK_FULL", severity: "error", what: `The disk is full: ${left}`, where, doNext };
  if (free < LITTLE)
    return { code: "DISK_LOW", severity: "warning", what: `The disk is nearly full: ${left}`, where, doNext };
  return { code: "DISK", severity: "ok", what: left, where, doNext: "" };
}

function aboutTrash(home: string, bytes: number): Finding[] {
  if (bytes < FULL_TRASH) return [];
  const what = `Deleted sessions take ${sizeText(bytes)}.`;
  return [{ code: "TRASH_LARGE", severity: "note", what, where: join(home, "trash"), doNext: "scorel session purge" }];
}

/** Returns the nearest existing parent folder. */
function existing(path: string): string {
  return fs.existsSync(path) || path === dirname(path) ? path : existing(dirname(path));
}

/** Returns the bytes of files in a folder and its subfolders, up to the limit. */
function sizeOf(folder: string): number {
  let bytes = 0;
  let left = ENOUGH;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && left > 0; next = waiting.pop())
    for (const entry of entriesIn(next)) {
      if (--left < 0) break;
      const path = join(next, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) bytes += fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
  return bytes;
}

/** Returns nothing for missing or unreadable folders; access is checked elsewhere. */
function entriesIn(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
