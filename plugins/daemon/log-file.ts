import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync } from "node:fs";
import { flawOf } from "@scorel/kit/files/private-folder";
import { inOwnFolder, inStateFolder } from "@scorel/kit/files/state-folder";
import { codeOf } from "@scorel/kit/values/coded-error";
import { errors } from "./errors.ts";
import { LOG, logFile, runFolder } from "./run-folder.ts";

const PROBLEMS: Readonly<Record<string, string>> = { ELOOP: "it is a link", EISDIR: "it is a folder" };
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_RDWR } = constants;
/** A log larger than this is emptied at the next start. */
const MAX_BYTES = 5 * 1024 * 1024;

/** Opens the host's log, to append to it. The caller closes it. Throws DAEMON_LOG and STATE_FOLDER. */
export function openLog(): number {
  const log = inOwnFolder(runFolder(), (folder) => opened(folder.at(LOG), O_RDWR | O_CREAT | O_APPEND));
  if (fstatSync(log).size > MAX_BYTES) ftruncateSync(log);
  return log;
}

/** The text of the host's log from byte `from` on; "" if there is no log. Throws DAEMON_LOG and STATE_FOLDER. */
export function readLog(from = 0): string {
  const text = inStateFolder(runFolder(), (folder) => {
    try {
      const log = opened(folder.at(LOG), O_RDONLY);
      try {
        return readFileSync(log).subarray(from).toString("utf8");
      } finally {
        closeSync(log);
      }
    } catch (thrown) {
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw thrown;
    }
  });
  return text ?? "";
}

/** Opens a regular file of this user, and follows no link. */
function opened(path: string, flags: number): number {
  let log: number;
  try {
    log = openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (thrown) {
    const problem = PROBLEMS[codeOf(thrown)];
    if (problem === undefined) throw thrown;
    throw errors.DAEMON_LOG({ path: logFile(), problem }, { cause: thrown });
  }
  const flaw = flawOf(fstatSync(log));
  if (flaw === undefined) return log;
  closeSync(log);
  throw errors.DAEMON_LOG({ path: logFile(), problem: flaw });
}
