import { fstatSync, readSync } from "node:fs";
import { codeOf, messageOf, type StoredEvent } from "@scorel/kernel";
import type { Ledger } from "@scorel/kernel/store";
import { errors } from "./errors.ts";
import { scanHeader } from "./header.ts";
import { LogFile } from "./log-file.ts";
import { NEWLINE } from "./record-bytes.ts";
import { type Place, type Resumed, type Scan, Scanner } from "./scanner.ts";

export type { Resumed, Scan };

const CHUNK = 2 ** 20;

/** A log with all its events in memory. */
export interface WholeLog extends Scan {
  events: StoredEvent[];
  /** The place of each event, in the order of `events`. */
  places: Place[];
}
/** A log whose events are read on demand. */
export interface LogReader extends Scan {
  ledger: Ledger;
  placeOf(row: number): Place;
}
/** Reads a log without changing it. Throws STORE_READ, and STORE_HEADER if its first line is not a header. */
export function scanLog(path: string): WholeLog {
  return scanRest(path);
}

/** Like `scanLog`, but reads only what follows `resumed`. */
export function scanRest(path: string, resumed?: Resumed): WholeLog {
  const file = new LogFile(path);
  const places: Place[] = [];
  const scan = scanFile(file, resumed, (place) => places.push(place));
  return { ...scan, events: places.map((_place, row) => file.read(row) as StoredEvent), places };
}

/** Like `scanLog`, but for logs of any length: events are read on demand. */
export function readLog(path: string): LogReader {
  const file = new LogFile(path);
  const scan = scanFile(file);
  const placeOf = (row: number) => {
    const offset = file.offsets[row] as number;
    return { line: file.lineAt(offset), offset };
  };
  return { ...scan, ledger: file.ledger, placeOf };
}

/** Where to begin a scan of about this many bytes at the end of a file; undefined if the file is hardly longer than that. */
export function tailOf(file: LogFile, bytes: number): Resumed | undefined {
  const { header, problems } = scanHeader(file.path);
  const offset = file.opened((fd) => lineBehind(fd, fstatSync(fd).size - bytes));
  return offset === undefined ? undefined : { header, problems, offset, lines: 0 };
}

/** The start of the first line after an offset; undefined if it is far away. */
function lineBehind(fd: number, from: number): number | undefined {
  if (from <= CHUNK) return undefined;
  const buffer = Buffer.allocUnsafe(CHUNK);
  const end = buffer.subarray(0, readSync(fd, buffer, 0, CHUNK, from)).indexOf(NEWLINE);
  return end < 0 ? undefined : from + end + 1;
}

/** Adds every record of a file to its ledger. Throws STORE_READ and STORE_HEADER. */
export function scanFile(file: LogFile, resumed?: Resumed, onRecord?: (place: Place) => void): Scan {
  try {
    return file.opened((fd) => new Scanner(file, fd, onRecord).run(resumed));
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code.startsWith("STORE_")) throw thrown;
    throw errors.STORE_READ({ path: file.path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  }
}
