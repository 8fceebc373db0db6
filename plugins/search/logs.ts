import { lstatSync } from "node:fs";
import { join } from "node:path";
import { codeOf, type SessionHeader } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import { errors } from "./errors.ts";

/** The directory of the sessions' logs, and the format that reads them. */
export interface Shelf {
  directory: string;
  logs: Logs;
}
/** The log file of a session. */
export interface LogName {
  file: string;
  sessionId: string;
  changedAt: number;
}

/** Lists the logs in a directory, last changed first; empty if it does not exist. Throws FIND_FAILED. */
export function logsIn(shelf: Shelf): LogName[] {
  return idsIn(shelf)
    .flatMap((sessionId) => {
      const file = sessionId + shelf.logs.ending;
      // A log may be deleted by another process in the meantime.
      const stat = lstatSync(join(shelf.directory, file), { throwIfNoEntry: false });
      return stat?.isFile() ? [{ file, sessionId, changedAt: stat.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAt - a.changedAt || (a.file < b.file ? -1 : 1));
}

/** Reads a log's header; undefined when it is damaged or was deleted. */
export function headerOf({ directory, logs }: Shelf, sessionId: string): SessionHeader | undefined {
  try {
    return logs.header(join(directory, sessionId + logs.ending)).header;
  } catch {
    return undefined;
  }
}

function idsIn({ directory, logs }: Shelf): string[] {
  try {
    return logs.list(directory);
  } catch (thrown) {
    throw errors.FIND_FAILED({ directory, reason: codeOf(thrown) }, { cause: thrown });
  }
}
