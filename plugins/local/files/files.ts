import type { Dirent, Stats } from "node:fs";
import { type FileHandle, readdir, stat as statPath } from "node:fs/promises";
import { codeOf } from "@scorel/kernel";
import { decodeName } from "@scorel/kit/files/names";
import type { FileContent, FileEntry, FileInfo, FileOptions, FilesService } from "../contract.ts";
import { openReal } from "./open-file.ts";
import { rawPath, realPathOf } from "./real-path.ts";
import { saveFile } from "./save.ts";

export async function realpath(path: string, { signal }: FileOptions = {}): Promise<string> {
  signal?.throwIfAborted();
  return realPathOf(path);
}

export async function stat(path: string, { signal }: FileOptions = {}): Promise<FileInfo | undefined> {
  signal?.throwIfAborted();
  try {
    return infoOf(await statPath(await rawPath(path)));
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}

export async function read(
  path: string,
  { maxBytes = Infinity, signal }: Parameters<FilesService["read"]>[1] = {},
): Promise<FileContent> {
  signal?.throwIfAborted();
  const { handle } = await openReal(path);
  try {
    const info = infoOf(await handle.stat());
    if (info.kind !== "file") throw failure("EINVAL", "not a regular file", path);
    if (info.size > maxBytes) throw failure("EFBIG", "file too large", path);
    // Files in /proc have size 0 and are read to the end, but not beyond the limit: some of them hardly have an end.
    const bytes = await (info.size === 0 ? readPast(handle, maxBytes, signal) : handle.readFile({ signal }));
    if (bytes.length > maxBytes) throw failure("EFBIG", "file too large", path);
    return { ...info, bytes };
  } finally {
    await handle.close();
  }
}

/** The bytes of an open file, up to its end or to the first chunk that exceeds the limit. */
async function readPast(handle: FileHandle, limit: number, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, signal })) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  return Buffer.concat(chunks);
}

export async function write(
  path: string,
  bytes: Uint8Array,
  { create = false, signal }: Parameters<FilesService["write"]>[2] = {},
): Promise<void> {
  signal?.throwIfAborted();
  await saveFile(await rawPath(path), bytes, create);
}

export async function list(folder: string, { signal }: FileOptions = {}): Promise<FileEntry[]> {
  signal?.throwIfAborted();
  const entries = await readdir(await rawPath(folder), { withFileTypes: true, encoding: "buffer" });
  return entries.map((entry) => ({ name: decodeName(entry.name as unknown as Buffer), kind: kindOf(entry) }));
}

/** The information about a file that guards and readers need. */
export function infoOf(stats: Stats): FileInfo {
  const kind = kindOf(stats) as FileInfo["kind"];
  return { kind, size: kind === "file" ? stats.size : 0, id: `${stats.dev}:${stats.ino}` };
}

type Kinds = Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink" | "isFIFO" | "isSocket">;

function kindOf(of: Kinds): FileEntry["kind"] {
  if (of.isFile()) return "file";
  if (of.isDirectory()) return "folder";
  if (of.isSymbolicLink()) return "link";
  if (of.isFIFO()) return "fifo";
  return of.isSocket() ? "socket" : "device";
}

function failure(code: string, reason: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${reason}, '${path}'`), { code, path });
}
