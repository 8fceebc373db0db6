import * as fs from "node:fs";
import { basename } from "node:path";
import { codeOf, messageOf, type SessionHeader } from "@scorel/kernel";
import type { Problem } from "@scorel/kernel/store";
import { openToRead } from "@scorel/kit/files/open";
import { isId } from "@scorel/kit/values/id";
import type { LogHeader } from "./contract.ts";
import { errors } from "./errors.ts";
import { decode, endsInReturn, hasSum, isSound, NEWLINE } from "./record-bytes.ts";

/** The format that this version writes. Logs of newer formats are opened for reading only. */
export const LOG_VERSION = 2;
/** From this format on, each record has a number, so that missing records are noticed. Older logs continue without numbers. */
const COUNTED_SINCE = 2;
/** Number of bytes to read first; nearly every header fits into them. */
const FIRST_LENGTH = 2 ** 14;

/** The parsed first line of a log. */
export interface ReadHeader extends LogHeader {
  /** The header is damaged, so that its statements about the records may be wrong. */
  guessed?: true;
}

/** Reads only the header of a log. Throws STORE_READ and STORE_HEADER. */
export function scanHeader(path: string): ReadHeader {
  let fd: number | undefined;
  try {
    fd = openToRead(path);
    return readHeader(path, firstLine(fd));
  } catch (thrown) {
    if (codeOf(thrown).startsWith("STORE_")) throw thrown;
    throw errors.STORE_READ({ path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  } finally {
    if (fd !== undefined) fs.closeSync(fd);
  }
}

function firstLine(fd: number): Buffer {
  for (let length = FIRST_LENGTH; ; length *= 4) {
    const bytes = Buffer.allocUnsafe(length);
    const read = bytes.subarray(0, fs.readSync(fd, bytes, 0, length, 0));
    const end = read.indexOf(NEWLINE);
    if (end >= 0) return read.subarray(0, end);
    if (read.length < length) return read;
  }
}

/** Parses the first line of a log. Throws STORE_HEADER if it is not a header. */
export function readHeader(path: string, line: Buffer): ReadHeader {
  if (line.length === 0) throw errors.STORE_HEADER({ path, reason: "it is empty" });
  const returned = endsInReturn(line);
  const bytes = returned ? line.subarray(0, -1) : line;
  const parsed = decode(bytes) as SessionHeader | undefined;
  const whole = typeof parsed?.sessionId === "string" && typeof parsed.version === "number";
  const problems: Problem[] = [];
  const say = (reason: string, lost = false) => problems.push({ line: 1, offset: 0, reason, lost });
  // Damage may have hidden the checksum field, but a line that ends in a checksum shows that the log has them.
  const hasChecksum = parsed?.checksum === "crc32" || hasSum(bytes);
  if (!whole || (hasChecksum && !isSound(bytes))) {
    const guessed = guess(bytes, parsed, basename(path).replace(/\.jsonl$/, ""));
    if (!guessed) throw errors.STORE_HEADER({ path, reason: "its first line is not a session header" });
    say("header: its checksum does not match", true);
    return {
      header: guessed,
      problems,
      guessed: true,
      readOnly: "its header fails its checksum, so what it belongs to is not certain",
    };
  }
  if (!hasChecksum) say("unchecked: the log has no checksums");
  if (returned) say("a carriage return ends the line");
  return { header: hasChecksum ? { ...parsed, checksum: "crc32" } : parsed, problems, ...newer(parsed) };
}

/** Whether the records of a log have numbers. */
export function isCounted({ version }: Pick<SessionHeader, "version">): boolean {
  return version >= COUNTED_SINCE;
}

function newer({ version }: SessionHeader): { readOnly?: string } {
  if (version <= LOG_VERSION) return {};
  return {
    readOnly: `its format ${version} is newer than this version of Scorel knows (${LOG_VERSION}); update Scorel to continue in it`,
  };
}

/** A header from the readable parts of a damaged one, with defaults for the rest; undefined if the line is not a header at all. */
function guess(line: Buffer, parsed: Partial<SessionHeader> | undefined, name: string): SessionHeader | undefined {
  const text = line.toString("latin1");
  const version = parsed?.version ?? /"version":(\d+)/.exec(text)?.[1];
  const sessionId =
    parsed?.sessionId ?? /"sessionId":"([0-9A-Za-z]+)"/.exec(text)?.[1] ?? (isId(name) ? name : undefined);
  const isHeader = !text.includes('"type":"') && /"(version|deviceId|createdAt|checksum)":/.test(text);
  if (!isHeader || sessionId === undefined) return undefined;
  const { deviceId = "unknown", createdAt = 0, epoch = "unknown", meta } = parsed ?? {};
  const known = { deviceId, createdAt, epoch, meta: typeof meta === "object" && meta !== null ? meta : {} };
  return { ...known, version: Number(version ?? 1), sessionId: String(sessionId), checksum: "crc32" };
}
