import { isUtf8 } from "node:buffer";
import { constants, type Stats } from "node:fs";
import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { errors } from "../errors.ts";
import { requireSame } from "./open-place.ts";
import type { Place } from "./paths.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** A regular file at one moment. */
export interface LoadedFile {
  bytes: Buffer;
  /** The sha256 of the bytes, in hex. */
  version: string;
  stats: Stats;
}
/** A text file: UTF-8, or Latin-1 for any other single-byte encoding. */
export interface TextFile extends LoadedFile {
  encoding: "utf8" | "latin1";
  /** The length of the byte order mark: 3 or 0. */
  bom: number;
  crlf: boolean;
}

/**
 * Reads a regular file. Throws FILE_MISSING, FILE_KIND, FILE_TOO_LARGE, and FILE_SWAPPED if the path now leads to another file
 * or to one that was not approved.
 */
export async function loadFile(place: Place, approved?: readonly string[]): Promise<LoadedFile> {
  refuseOthers(place, await statOf(place));
  // Opened without blocking, in case a FIFO has replaced the file.
  const handle = await open(place.raw, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    await requireSame(handle, place, approved);
    const stats = await handle.stat();
    refuseOthers(place, stats);
    const bytes = await readAll(handle, place);
    return { bytes, version: versionOf(bytes), stats };
  } finally {
    await handle.close();
  }
}

/** Like `loadFile`, but undefined for a missing file. */
export async function loadIfExists(place: Place): Promise<LoadedFile | undefined> {
  try {
    return await loadFile(place);
  } catch (thrown) {
    if (codeOf(thrown) === "FILE_MISSING") return undefined;
    throw thrown;
  }
}

/** The file as text. Throws FILE_BINARY. */
export function asText(file: LoadedFile, place: Place): TextFile {
  const { bytes } = file;
  const kind = binaryKind(bytes);
  if (kind) throw errors.FILE_BINARY({ path: place.shown, ...kind });
  const bom = bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
  return { ...file, encoding: isUtf8(bytes) ? "utf8" : "latin1", bom, crlf: bytes.includes("\r\n") };
}

export function versionOf(bytes: Buffer): string {
  return sha256Of(bytes);
}

/** The number of line breaks in `[from, to)`. */
export function countBreaks(bytes: Buffer, from = 0, to = bytes.length): number {
  let count = 0;
  for (let at = bytes.indexOf(10, from); at >= 0 && at < to; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

/** The number of lines; text after the last line break counts as a line. */
export function countLines(bytes: Buffer): number {
  return countBreaks(bytes) + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0);
}

/** The 1-based line that contains a byte. */
export function lineAt(bytes: Buffer, offset: number): number {
  return countBreaks(bytes, 0, offset) + 1;
}

async function statOf(place: Place): Promise<Stats> {
  try {
    return await stat(place.raw);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    throw errors.FILE_MISSING({ path: place.shown, near: await nearName(place.path) }, { cause: thrown });
  }
}

/** A sibling whose name differs only in case or extension. */
async function nearName(path: string): Promise<string> {
  const siblings = await readdir(dirname(path)).catch(() => []);
  const stem = (name: string) => name.toLowerCase().replace(/(?<=.)\.[^.]*$/, "");
  const wanted = basename(path);
  const sameName = siblings.find((name) => name.toLowerCase() === wanted.toLowerCase());
  return sameName ?? siblings.sort().find((name) => stem(name) === stem(wanted)) ?? "";
}

function refuseOthers(place: Place, stats: Stats): void {
  const refuse = (kind: string, hint: string) => errors.FILE_KIND({ path: place.shown, kind, hint });
  if (stats.isDirectory()) throw refuse("directory", "List it with Glob.");
  if (stats.isFIFO()) throw refuse("FIFO", "Reading it could wait for ever; use Bash with a timeout if it must be.");
  if (stats.isSocket()) throw refuse("socket", "Talk to it with Bash.");
  if (!stats.isFile()) throw refuse("device", "It has no content to read or replace.");
  if (stats.size > MAX_BYTES) throw errors.FILE_TOO_LARGE({ path: place.shown, bytes: stats.size, limit: MAX_BYTES });
}

/** Files in /proc have size 0, so this reads to the end. */
async function readAll(handle: FileHandle, place: Place): Promise<Buffer> {
  const bytes = await handle.readFile();
  if (bytes.length > MAX_BYTES)
    throw errors.FILE_TOO_LARGE({ path: place.shown, bytes: bytes.length, limit: MAX_BYTES });
  return bytes;
}

function binaryKind(bytes: Buffer): { kind: string; hint: string } | undefined {
  const start = bytes.subarray(0, 2).toString("hex");
  if (start === "fffe" || start === "feff")
    return { kind: "UTF-16 text", hint: "Convert it with Bash (iconv -t UTF-8)." };
  const hint = "Inspect it with Bash (file, xxd, strings).";
  if (bytes.includes(0)) return { kind: "a binary file", hint };
  const sample = bytes.subarray(0, 8192);
  const controls = sample.filter((byte) => byte < 32 && !(byte >= 7 && byte <= 13) && byte !== 27).length;
  return controls > sample.length / 10 ? { kind: "a binary file", hint } : undefined;
}
