import { lstatSync } from "node:fs";
import { join } from "node:path";
import { codeOf, type SessionHeader } from "@scorel/kernel";
import type { Logs } from "@scorel/logs/contract";
import { errors } from "./errors.ts";

/** Where the logs of sessions lie, and what reads them. */
export interface Shelf {
  directory: string;
  logs: Logs;
}
/** The log of a session, by its name in the directory. */
export interface LogName {
  file: string;
  sessionId: string;
  changedAt: number;
}

/** The logs in a directory that may not exist yet, the last changed first. Throws FIND_FAILED. */
export function logsIn(shelf: Shelf): LogName[] {
  return idsIn(shelf)
    .flatMap((sessionId) => {
      const file = sessionId + shelf.logs.ending;
      // One that another process deletes meanwhile is not searched.
      const stat = lstatSync(join(shelf.directory, file), { throwIfNoEntry: false });
      return stat?.isFile() ? [{ file, sessionId, changedAt: stat.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAt - a.changedAt || (a.file < b.file ? -1 : 1));
}

/** The first line of a log; undefined when it is damaged, or the log is gone by now. */
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
