import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, isId, type SessionHeader, scanHeader } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** The log of a session, by its name in the directory. */
export interface LogName {
  file: string;
  sessionId: string;
  changedAt: number;
}

const ENDING = ".jsonl";

/** The logs in a directory that may not exist yet, the last changed first. Throws FIND_FAILED. */
export function logsIn(directory: string): LogName[] {
  return namesIn(directory)
    .flatMap((file) => {
      const sessionId = file.slice(0, -ENDING.length);
      // One that another process deletes meanwhile is not searched.
      const stat = isId(sessionId) ? lstatSync(join(directory, file), { throwIfNoEntry: false }) : undefined;
      return stat?.isFile() ? [{ file, sessionId, changedAt: stat.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAt - a.changedAt || (a.file < b.file ? -1 : 1));
}

/** The first line of a log; undefined when it is damaged, or the log is gone by now. */
export function headerOf(directory: string, { file }: Pick<LogName, "file">): SessionHeader | undefined {
  try {
    return scanHeader(join(directory, file)).header;
  } catch {
    return undefined;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith(ENDING));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw errors.FIND_FAILED({ directory, reason: codeOf(thrown) }, { cause: thrown });
  }
}
