import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionHeader } from "@scorel/kernel";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { isId } from "@scorel/kit/values/id";
import type { Logs } from "@scorel/logs/contract";
import type { SessionSummary } from "../contract.ts";
import { errors } from "../errors.ts";
import { homeDirectory } from "../workspace.ts";
import { summaryOf } from "./summary.ts";

/** Name of the folder beside the sessions that holds deleted ones. */
const TRASH = "trash";

/** Reads the directory of session logs: ids, paths and summaries. */
export interface Shelf {
  readonly directory: string;
  readonly logs: Logs;
  path(sessionId: string): string;
  /** Completes the beginning of an id; throws SESSION_UNKNOWN and SESSION_AMBIGUOUS. */
  resolve(idOrPrefix: string): string;
  /** Reads a session's summary; undefined if it is not stored. */
  summary(sessionId: string): SessionSummary | undefined;
  /**
   * Lists sessions, latest activity first, according to their last events and not to file times. The sessions in `open`, by id, are not read
   * and need not be stored.
   */
  list(open?: ReadonlyMap<string, SessionSummary>): SessionSummary[];
  /**
   * Reads only the header of a session's log. If damage lost its working directory, home is used, so that the session can
   * still be viewed. Throws SESSION_UNKNOWN, STORE_READ and STORE_HEADER.
   */
  header(sessionId: string): SessionHeader;
}

/** Creates a Shelf for a directory, which need not exist yet. */
export function createShelf(directory: string, logs: Logs): Shelf {
  const path = (sessionId: string) => join(directory, sessionId + logs.ending);
  return {
    directory,
    logs,
    path,
    resolve: (wanted) => (isId(wanted) && existsSync(path(wanted)) ? wanted : byPrefix(logs, directory, wanted)),
    summary: (id) => summaryOf(logs, path(id), id),
    list: (open = new Map()) =>
      [...new Set([...idsIn(logs, directory), ...open.keys()])]
        // A session may be deleted by another process in the meantime.
        .flatMap((id) => open.get(id) ?? summaryOf(logs, path(id), id) ?? [])
        .sort((a, b) => b.updatedAt - a.updatedAt || b.createdAt - a.createdAt || compare(a.sessionId, b.sessionId)),
    header: (sessionId) => readHeader(logs, path(sessionId), sessionId),
  };
}

function readHeader(logs: Logs, path: string, sessionId: string): SessionHeader {
  if (!existsSync(path)) throw errors.SESSION_UNKNOWN({ sessionId });
  const { header, readOnly } = logs.header(path);
  return readOnly === undefined ? header : { ...header, meta: { cwd: homeDirectory(), ...header.meta } };
}

function byPrefix(logs: Logs, directory: string, prefix: string): string {
  const startingIn = (folder: string) =>
    prefix === "" ? [] : idsIn(logs, folder).filter((id) => id.startsWith(prefix));
  const matches = startingIn(directory);
  if (matches.length > 1) throw errors.SESSION_AMBIGUOUS({ prefix, matches });
  const [match] = matches;
  if (match !== undefined) return match;
  const [deleted, another] = startingIn(join(dirname(directory), TRASH));
  throw errors.SESSION_UNKNOWN({ sessionId: prefix, ...(another === undefined && { deleted }) });
}

function idsIn(logs: Logs, directory: string): string[] {
  try {
    return logs.list(directory);
  } catch (thrown) {
    throw errors.HOST_HOME({ path: directory, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
