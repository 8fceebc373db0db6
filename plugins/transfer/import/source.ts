import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { codeOf, messageOf, type SessionHeader } from "@scorel/kernel";
import type { ImportFormat } from "../contract.ts";
import { errors } from "../errors.ts";
import { isRecord, type Json, parseRecord } from "../json.ts";
import { linesOf } from "./lines.ts";
import type { Report } from "./report.ts";

/** Maximum size of a file in bytes. */
export const LARGEST_FILE = 2 * 2 ** 30;
/** Number of records that are checked to detect the format. */
const LOOKED_AT = 50;
const SUFFIX = /^,"crc":"([0-9a-f]{8})"\}$/;
const SUFFIX_LENGTH = ',"crc":"00000000"}'.length;

/** An open session file. */
export interface Source {
  path: string;
  file: FileHandle;
}

/** Runs `work` on a regular file of at most 2 GiB. Throws TRANSFER_FILE and TRANSFER_TOO_LARGE. */
export async function withSource<R>(path: string, work: (source: Source) => Promise<R>): Promise<R> {
  // O_NONBLOCK keeps opening a named pipe from blocking.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((thrown: unknown) => {
    const reason = codeOf(thrown) === "ENOENT" ? "it does not exist" : codeOf(thrown, messageOf(thrown));
    throw errors.TRANSFER_FILE({ path, reason }, { cause: thrown });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw errors.TRANSFER_FILE({ path, reason: "it is not a regular file" });
    if (stat.size > LARGEST_FILE) throw errors.TRANSFER_TOO_LARGE({ path, limit: "2 GiB" });
    return await work({ path, file });
  } finally {
    await file.close();
  }
}

/**
 * Yields a file's valid records; damaged lines are reported and skipped. With `checked`, each line must have its
 * checksum.
 */
export async function* recordsOf({ file }: Source, report?: Report, checked = false): AsyncGenerator<Json> {
  for await (const { number: line, offset, bytes } of linesOf(file, (damage) => report?.damage(damage))) {
    const record = checked && !isSound(bytes) ? "its checksum does not match" : parseRecord(bytes);
    if (typeof record === "string") report?.damage({ line, offset, reason: record });
    else yield record;
  }
}

/** Detects the format from the first records; throws TRANSFER_UNKNOWN. */
export async function formatOf(source: Source): Promise<ImportFormat> {
  let looked = 0;
  for await (const record of recordsOf(source)) {
    const format = formatBy(record);
    if (format) return format;
    if (++looked === LOOKED_AT) break;
  }
  throw errors.TRANSFER_UNKNOWN({ path: source.path });
}

/** Returns the header of a Scorel log; empty if the first record is not one. Throws TRANSFER_NEWER above `version`. */
export async function headerOf(source: Source, version: number): Promise<Partial<SessionHeader>> {
  for await (const record of recordsOf(source)) {
    if (!isHeader(record)) break;
    if (record.version > version) throw errors.TRANSFER_NEWER({ path: source.path, version: record.version });
    return record as Partial<SessionHeader>;
  }
  return {};
}

/** Whether a record is the header of a Scorel log. */
export function isHeader(record: Json): record is Json & { version: number } {
  return typeof record.sessionId === "string" && typeof record.version === "number" && record.type === undefined;
}

function formatBy(record: Json): ImportFormat | undefined {
  const { type, uuid, leafUuid, payload, id, timestamp, parentId, seq } = record;
  if (isHeader(record) || (typeof seq === "number" && parentId !== undefined)) return "scorel";
  if (type === "session") return "pi";
  if (isRecord(payload) && typeof type === "string") return "codex";
  if (type === undefined && typeof id === "string" && typeof timestamp === "string") return "codex";
  return typeof uuid === "string" || typeof leafUuid === "string" ? "claude-code" : undefined;
}

/** Verifies a line's checksum, which is at the end of the line and covers the rest of it. */
function isSound(line: Buffer): boolean {
  const start = line.length - SUFFIX_LENGTH;
  const sum = start > 0 ? SUFFIX.exec(line.toString("latin1", start))?.[1] : undefined;
  if (sum === undefined) return false;
  return crc32("}", crc32(line.subarray(0, start))) === Number.parseInt(sum, 16);
}
