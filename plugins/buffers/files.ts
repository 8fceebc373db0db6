import { dirname } from "node:path";
import { codeOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import type { FileContent, FileOptions, FilesService } from "@scorel/local/contract";
import { errors } from "./errors.ts";
import type { Offers } from "./offers.ts";
import { MOST_BYTES, textIn, unsavedIn } from "./texts.ts";

interface Around {
  offers: Offers;
  tell(problem: Error): void;
}
type ReadOptions = Parameters<FilesService["read"]>[1];
type WriteOptions = Parameters<FilesService["write"]>[2];

/** Reads a file as the user of a client sees it, with unsaved changes. */
export async function read(
  files: FilesService,
  path: string,
  options: ReadOptions,
  { offers }: Around,
): Promise<FileContent> {
  const saved = await files.read(path, options);
  const bytes = await unsavedOf(saved, path, offers, options?.signal);
  if (!bytes) return saved;
  const { maxBytes = Number.POSITIVE_INFINITY } = options ?? {};
  if (bytes.length > maxBytes) throw Object.assign(new Error(`${path}: file too large`), { code: "EFBIG", path });
  return { ...saved, size: bytes.length, bytes };
}

/** The content of a file with unsaved changes; undefined if there are none, or nothing is known. */
export async function unsaved(
  files: FilesService,
  path: string,
  options: FileOptions | undefined,
  { offers }: Around,
): Promise<Uint8Array | undefined> {
  if (await isTooLarge(files, path, options)) return undefined;
  const saved = await ifPresent(files, path, options);
  return saved && unsavedOf(saved, path, offers, options?.signal);
}

async function unsavedOf(saved: FileContent, path: string, offers: Offers, signal: AbortSignal | undefined) {
  const text = textIn(saved.bytes);
  if (text === undefined) return undefined;
  const answer = await offers.ask("reads", { path }, signal);
  // No text means that the client does not have the file open.
  return answer?.text === undefined ? undefined : unsavedIn(answer.text, text);
}

/**
 * Lets a client save a file, so that its user sees the change if the file is open. Compares the file before and after: if the client has
 * not written it, it is written here.
 */
export async function write(
  files: FilesService,
  path: string,
  bytes: Uint8Array,
  options: WriteOptions,
  { offers, tell }: Around,
): Promise<void> {
  const { signal } = options ?? {};
  const text = textIn(bytes);
  if (await isTooLarge(files, path, { signal })) return files.write(path, bytes, options);
  const before = await ifPresent(files, path, { signal });
  const isPossible = text !== undefined && (before || (options?.create && (await hasFolder(files, path, signal))));
  // If the path has become a link since it was checked, the client would follow it. The service refuses it.
  if (!isPossible || (await files.realpath(path, { signal })) !== path) return files.write(path, bytes, options);
  const answer = await offers.ask("writes", { path, write: text }, signal);
  const after = await ifPresent(files, path, { signal });
  if (same(after, bytes)) return;
  // The client has saved it differently, for example formatted. A tool that continues with its own text is told that the file has changed.
  if (answer && answer.reason === undefined && after && !same(after, before?.bytes)) return;
  await files.write(path, bytes, options);
  if (answer?.reason !== undefined)
    tell(errors.BUFFERS_FAILED({ path: lineOf(path), reason: lineOf(answer.reason).slice(0, 200) }));
}

/** Whether a file has more bytes than go through a client, so that it is not read in vain. */
async function isTooLarge(files: FilesService, path: string, options: FileOptions | undefined): Promise<boolean> {
  return ((await files.stat(path, options))?.size ?? 0) > MOST_BYTES;
}

function same(content: FileContent | undefined, bytes: Uint8Array | undefined): boolean {
  return content !== undefined && bytes !== undefined && Buffer.compare(content.bytes, bytes) === 0;
}

async function ifPresent(files: FilesService, path: string, options: FileOptions | undefined) {
  try {
    return await files.read(path, { ...(options?.signal && { signal: options.signal }) });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function hasFolder(files: FilesService, path: string, signal: AbortSignal | undefined): Promise<boolean> {
  return (await files.stat(dirname(path), { signal }))?.kind === "folder";
}
