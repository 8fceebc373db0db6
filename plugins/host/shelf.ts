import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, isId, type SessionHeader, scanHeader } from "@scorel/kernel";
import type { SessionSummary } from "./contract.ts";
import { errors } from "./errors.ts";
import { summaryOf } from "./summary.ts";
import { homeDirectory } from "./workspace.ts";

const ENDING = ".jsonl";
/** Beside the sessions: where those lie that were deleted, whoever did it. */
const TRASH = "trash";

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
    resolve: (wanted) => (isId(wanted) && existsSync(path(wanted)) ? wanted : byPrefix(directory, wanted)),
    list: (cwd) =>
      idsIn(directory)
        // One that another process deletes meanwhile is not listed.
        .flatMap((id) => summaryOf(path(id), id) ?? [])
        .filter((summary) => cwd === undefined || summary.cwd === cwd)
        .sort((a, b) => b.updatedAt - a.updatedAt || b.createdAt - a.createdAt || compare(a.sessionId, b.sessionId)),
  };
}

/**
 * The header of a log, without reading the rest of it. One that is damaged may have lost the directory it works in; it
 * can be looked at from home. Throws SESSION_UNKNOWN, STORE_READ and STORE_HEADER.
 */
export function readHeader(path: string, sessionId: string): SessionHeader {
  if (!existsSync(path)) throw errors.SESSION_UNKNOWN({ sessionId });
  const { header, readOnly } = scanHeader(path);
  return readOnly === undefined ? header : { ...header, meta: { cwd: homeDirectory(), ...header.meta } };
}

function byPrefix(directory: string, prefix: string): string {
  const startingIn = (folder: string) => (prefix === "" ? [] : idsIn(folder).filter((id) => id.startsWith(prefix)));
  const matches = startingIn(directory);
  if (matches.length > 1) throw errors.SESSION_AMBIGUOUS({ prefix, matches });
  const [match] = matches;
  if (match !== undefined) return match;
  const [deleted, another] = startingIn(join(dirname(directory), TRASH));
  throw errors.SESSION_UNKNOWN({ sessionId: prefix, ...(another === undefined && { deleted }) });
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
