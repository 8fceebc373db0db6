import { statSync } from "node:fs";
import { removeOldOutputs } from "@scorel/kit/files/kept-outputs";
import { isLocked } from "./lock.ts";
import { besideLog } from "./session-store.ts";

/** Milliseconds after the start until the first removal, so that short commands do not spend time on it. */
const FIRST_MS = 60_000;
const AGAIN_MS = 24 * 60 * 60 * 1_000;

/**
 * Removes old files with outputs of commands in the background: a minute after the start, and then once a day. Keeps the files of sessions
 * that a process has open, or whose log was written in the meantime. Returns a function that ends this.
 */
export function removeOldOutputsLater(
  logFile: (sessionId: string) => string,
  failed: (thrown: unknown) => void,
  firstMs = FIRST_MS,
): () => void {
  const isInUse = (sessionId: string, since: number) => {
    const log = logFile(sessionId);
    const { mtimeMs = 0 } = statSync(log, { throwIfNoEntry: false }) ?? {};
    return mtimeMs > since || isLocked(besideLog(log, "lock"));
  };
  let timer = setTimeout(next, firstMs).unref();
  function next() {
    timer = setTimeout(next, AGAIN_MS).unref();
    removeOldOutputs(isInUse).catch(failed);
  }
  return () => clearTimeout(timer);
}
