import { closeSync, existsSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { codeOf, isId, type SessionHeader, scanLog } from "@scorel/kernel";
import type { SessionSummary } from "./contract.ts";
import { errors } from "./errors.ts";
import { summaryOf } from "./summary.ts";

const ENDING = ".jsonl";

/** The directory of session logs: names, paths and what a list shows. Reads only. */
export interface Shelf {
  readonly directory: string;
  path(sessionId: string): string;
  /** The id that begins so; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string;
  /** Latest activity first: by the time of the last event, not by the file's. Only those of `cwd`, when given. */
  list(cwd?: string): SessionSummary[];
}

/** A shelf over a directory that may not exist yet. */
export function createShelf(directory: string): Shelf {
  const path = (sessionId: string) => join(directory, sessionId + ENDING);
  return {
    directory,
    path,
    resolve: (wanted) => (isId(wanted) && existsSync(path(wanted)) ? wanted : byPrefix(idsIn(directory), wanted)),
    list: (cwd) =>
      idsIn(directory)
        // One that another process deletes meanwhile is not listed.
        .flatMap((id) => summaryOf(path(id), id) ?? [])
        .filter((summary) => cwd === undefined || summary.cwd === cwd)
        .sort((a, b) => b.updatedAt - a.updatedAt || b.createdAt - a.createdAt || compare(a.sessionId, b.sessionId)),
  };
}

const HEADER_LIMIT = 64 * 1024;

/** The header of a log, without reading the rest of it. Throws SESSION_UNKNOWN, STORE_READ and STORE_HEADER. */
export function readHeader(path: string, sessionId: string): SessionHeader {
  if (!existsSync(path)) throw errors.SESSION_UNKNOWN({ sessionId });
  try {
    const [line = ""] = beginningOf(path).split("\n", 1);
    const header = JSON.parse(line) as SessionHeader;
    if (typeof header.sessionId === "string" && typeof header.meta === "object") return header;
  } catch {
    // The kernel's reader says what is wrong with it.
  }
  return scanLog(path).header;
}

function beginningOf(path: string): string {
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEADER_LIMIT);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, HEADER_LIMIT, 0));
  } finally {
    closeSync(fd);
  }
}

function byPrefix(ids: readonly string[], prefix: string): string {
  const matches = prefix === "" ? [] : ids.filter((id) => id.startsWith(prefix));
  if (matches.length > 1) throw errors.SESSION_AMBIGUOUS({ prefix, matches });
  const [match] = matches;
  if (match === undefined) throw errors.SESSION_UNKNOWN({ sessionId: prefix });
  return match;
}

function idsIn(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(ENDING));
    return names.map((name) => name.slice(0, -ENDING.length)).filter(isId);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return [];
    throw errors.HOST_HOME({ path: directory, reason: code }, { cause: thrown });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
