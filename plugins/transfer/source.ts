import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { codeOf, messageOf, type SessionHeader } from "@scorel/kernel";
import type { ImportFormat } from "./contract.ts";
import { errors } from "./errors.ts";
import { isRecord, type Json, parseRecord } from "./json.ts";
import { linesOf } from "./lines.ts";
import type { Report } from "./report.ts";

/** The largest file that is read. */
export const LARGEST_FILE = 2 * 2 ** 30;
/** Records among which one has to tell the format. */
const LOOKED_AT = 50;
const SUFFIX = /^,"crc":"([0-9a-f]{8})"\}$/;
const SUFFIX_LENGTH = ',"crc":"00000000"}'.length;

/** A session file that is open. */
export interface Source {
  path: string;
  file: FileHandle;
}

/** Runs `work` over a regular file of at most 2 GiB. Throws TRANSFER_FILE and TRANSFER_TOO_LARGE. */
export async function withSource<R>(path: string, work: (source: Source) => Promise<R>): Promise<R> {
  // Not to wait for whoever writes into a pipe.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((thrown: unknown) => {
    throw errors.TRANSFER_FILE({ path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw errors.TRANSFER_FILE({ path, reason: "it is no regular file" });
    if (stat.size > LARGEST_FILE) throw errors.TRANSFER_TOO_LARGE({ path, limit: "2 GiB" });
    return await work({ path, file });
  } finally {
    await file.close();
  }
}

/** The sound records of a file; damaged lines are told and passed over. With `checked` each line has to carry its checksum. */
export async function* recordsOf({ file }: Source, report?: Report, checked = false): AsyncGenerator<Json> {
  for await (const { number: line, offset, bytes } of linesOf(file, (damage) => report?.damage(damage))) {
    const record = checked && !isSound(bytes) ? "its checksum does not match" : parseRecord(bytes);
    if (typeof record === "string") report?.damage({ line, offset, reason: record });
    else yield record;
  }
}

/** Whose format a file has, by its first records; throws TRANSFER_UNKNOWN. */
export async function formatOf(source: Source): Promise<ImportFormat> {
  let looked = 0;
  for await (const record of recordsOf(source)) {
    const format = formatBy(record);
    if (format) return format;
    if (++looked === LOOKED_AT) break;
  }
  throw errors.TRANSFER_UNKNOWN({ path: source.path });
}

/** The header of a log of ours, if its first record is one; `version`: the newest that can be read. Throws TRANSFER_NEWER. */
export async function headerOf(source: Source, version: number): Promise<Partial<SessionHeader>> {
  for await (const record of recordsOf(source)) {
    if (!isHeader(record)) break;
    if (record.version > version) throw errors.TRANSFER_NEWER({ path: source.path, version: record.version });
    return record as Partial<SessionHeader>;
  }
  return {};
}

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

/** As our logs have it: the checksum of the line without it stands at the line's end. */
function isSound(line: Buffer): boolean {
  const start = line.length - SUFFIX_LENGTH;
  const sum = start > 0 ? SUFFIX.exec(line.toString("latin1", start))?.[1] : undefined;
  if (sum === undefined) return false;
  return crc32("}", crc32(line.subarray(0, start))) === Number.parseInt(sum, 16);
}
