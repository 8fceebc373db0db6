import { isUtf8 } from "node:buffer";
import { basename, dirname } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import type { FileInfo, FilesService } from "@scorel/local/contract";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";
import type { Place } from "./paths.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** A regular file at one moment. */
export interface LoadedFile {
  bytes: Buffer;
  /** The sha256 of the bytes, in hex. */
  version: string;
  /** An identity that all names of the file share, where the file system has one. */
  id?: string;
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
export async function loadFile(place: Place, { files }: Files, call: Call = {}): Promise<LoadedFile> {
  const { approved, signal } = call;
  const info = await files.stat(place.path, { signal });
  if (!info) throw errors.FILE_MISSING({ path: place.shown, near: await nearName(place.path, files) });
  refuseOthers(place, info);
  if (approved && !approved.includes(place.path)) throw errors.FILE_SWAPPED({ path: place.shown });
  const { bytes, id } = await files
    .read(place.path, { maxBytes: MAX_BYTES, signal })
    .catch((thrown: unknown) => refuse(thrown, place));
  return { bytes: asBuffer(bytes), version: versionOf(bytes), ...(id !== undefined && { id }) };
}

type Files = Pick<Environment, "files">;

/** The tool call that reads a file. */
interface Call {
  /** The paths that it was approved to read, if it was judged by paths. */
  approved?: readonly string[] | undefined;
  signal?: AbortSignal | undefined;
}

/** Throws a FILE error for what can happen between resolving a path and opening its file. */
function refuse(thrown: unknown, place: Place): never {
  const code = codeOf(thrown);
  const path = place.shown;
  if (code === "EFBIG") throw tooLarge(place, MAX_BYTES + 1, thrown);
  if (["ESTALE", "EISDIR", "EINVAL"].includes(code)) throw errors.FILE_SWAPPED({ path }, { cause: thrown });
  if (code === "ENOENT") throw errors.FILE_MISSING({ path, near: "" }, { cause: thrown });
  throw thrown;
}

/** Like `loadFile`, but undefined for a missing file. */
export async function loadIfExists(place: Place, files: Files, call: Call = {}): Promise<LoadedFile | undefined> {
  try {
    return await loadFile(place, files, call);
  } catch (thrown) {
    if (codeOf(thrown) === "FILE_MISSING") return undefined;
    throw thrown;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The file as text. Throws FILE_BINARY. */
export function asText(file: LoadedFile, place: Place): TextFile {
  const { bytes } = file;
  const kind = binaryKind(bytes);
  if (kind) throw errors.FILE_BINARY({ path: place.shown, ...kind });
  const bom = bytes.length >= 3 && bytes.readUIntBE(0, 3) === 0xefbbbf ? 3 : 0;
  return { ...file, encoding: isUtf8(bytes) ? "utf8" : "latin1", bom, crlf: bytes.includes("\r\n") };
}

/** The version of a file with these bytes: their sha256 in hex. */
export function versionOf(bytes: Uint8Array): string {
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

/** A sibling whose name differs only in case or extension. */
async function nearName(path: string, files: FilesService): Promise<string> {
  const siblings = (await files.list(dirname(path)).catch(() => [])).map(({ name }) => name);
  const stem = (name: string) => name.toLowerCase().replace(/(?<=.)\.[^.]*$/, "");
  const wanted = basename(path);
  const sameName = siblings.find((name) => name.toLowerCase() === wanted.toLowerCase());
  return sameName ?? siblings.sort().find((name) => stem(name) === stem(wanted)) ?? "";
}

const HINTS: Readonly<Record<Exclude<FileInfo["kind"], "file">, [kind: string, hint: string]>> = {
  folder: ["directory", "List it with Glob."],
  fifo: ["FIFO", "Reading it could block forever; if you must read it, use Bash with a timeout."],
  socket: ["socket", "Talk to it with Bash."],
  device: ["device", "It has no content to read or replace."],
};

function refuseOthers(place: Place, { kind, size }: FileInfo): void {
  if (kind === "file") {
    if (size > MAX_BYTES) throw tooLarge(place, size);
    return;
  }
  const [noun, hint] = HINTS[kind];
  throw errors.FILE_KIND({ path: place.shown, kind: noun, hint });
}

function tooLarge({ shown }: Place, bytes: number, cause?: unknown): Error {
  return errors.FILE_TOO_LARGE({ path: shown, bytes, limit: MAX_BYTES }, { cause });
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
