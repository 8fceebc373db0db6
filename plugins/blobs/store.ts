import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { makeFolder } from "@scorel/kit/files/make-folder";
import { replaceFile } from "@scorel/kit/files/private";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type { BlobStore } from "./contract.ts";
import { errors } from "./errors.ts";

/** Creates a store in a folder, which need not exist. Synchronous, so that a caller knows at once that the content is safe. */
export function createBlobs(folder: string): BlobStore {
  const pathOf = (hash: string) => join(folder, hash.slice(0, 2), hash);
  /** Blobs that this process has synced. Other processes may have written the others without syncing them. */
  const synced = new Set<string>();
  /** Blobs that this process has written or compared with their content. Others may have been damaged since they were written. */
  const intact = new Set<string>();
  const put: BlobStore["put"] = (bytes, { durable = false } = {}) => {
    const hash = sha256Of(bytes);
    const isNew = keep(pathOf(hash), bytes, { durable, isSynced: synced.has(hash), isIntact: intact.has(hash) });
    intact.add(hash);
    if (durable) synced.add(hash);
    else if (isNew) synced.delete(hash);
    return hash;
  };
  const read = (hash: string) => (isHash(hash) ? readChecked(pathOf(hash), hash) : undefined);
  return {
    put,
    read,
    has: (hash) => isHash(hash) && sizeOf(pathOf(hash)) !== undefined,
    putList: (list) => put(Buffer.from(`${LIST}${JSON.stringify(list)}}`)),
    part: (hash, offset, length) => (isHash(hash) ? partOf(pathOf(hash), offset, length) : undefined),
    readList: (hash) => listIn(read(hash)),
  };
}

/** The start of each list's bytes, by which a purge recognises lists. */
export const LIST = '{"scorel-list":';

function listIn(bytes: Buffer | undefined): unknown {
  const text = bytes?.toString("utf8") ?? "";
  if (!text.startsWith(LIST)) return undefined;
  try {
    return Object.values(JSON.parse(text) as object)[0];
  } catch {
    return undefined; // Some other file with the same start.
  }
}

/** Whether a string is a sha256 in hex. Nothing else may become part of a path. */
function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** How a blob is kept. */
interface Keeping {
  durable: boolean;
  /** Whether the blob needs no further sync if it exists. */
  isSynced: boolean;
  /** Whether the blob has its content if it exists with the same size. */
  isIntact: boolean;
}

/** Returns whether the blob was written, because it did not exist or was damaged. */
function keep(path: string, bytes: Buffer, { durable, isSynced, isIntact }: Keeping): boolean {
  try {
    const isStored = sizeOf(path) === bytes.length && (isIntact || hasContent(path, bytes));
    if (isStored && touch(path, durable && !isSynced)) return false;
    writeInFolder(path, bytes, durable);
    return true;
  } catch (thrown) {
    throw errors.BLOB_WRITE({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function hasContent(path: string, bytes: Buffer): boolean {
  try {
    return fs.readFileSync(path).equals(bytes);
  } catch {
    return false; // It is written again, which reports the reason if that fails, too.
  }
}

/** Makes an existing blob recent, so that no purge removes it before its event is written. Returns false if it is gone. */
function touch(path: string, sync: boolean): boolean {
  try {
    const now = new Date();
    fs.utimesSync(path, now, now);
    if (sync) syncFile(path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

function syncFile(path: string): void {
  // Opened for writing, since Windows syncs no other files.
  const fd = fs.openSync(path, "r+");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Creates the folder only if it is missing, since there are 256 folders and many more blobs. */
function writeInFolder(path: string, bytes: Buffer, durable: boolean): void {
  try {
    replaceFile(path, bytes, { durable });
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    makeFolder(dirname(path));
    replaceFile(path, bytes, { durable });
  }
}

function sizeOf(path: string): number | undefined {
  try {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? stat.size : undefined;
  } catch {
    return undefined; // A file that cannot be examined cannot be read either; writing reports the reason.
  }
}

function readChecked(path: string, hash: string): Buffer | undefined {
  const bytes = readBytes(path);
  if (bytes && sha256Of(bytes) !== hash) throw errors.BLOB_DAMAGED({ path });
  return bytes;
}

function partOf(path: string, offset: number, length: number): Buffer | undefined {
  try {
    const fd = fs.openSync(path, "r");
    try {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, fs.fstatSync(fd).size - offset)));
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, offset));
    } finally {
      fs.closeSync(fd);
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw errors.BLOB_READ({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function readBytes(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw errors.BLOB_READ({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}
