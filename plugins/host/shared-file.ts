import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { makePrivateDirectory, readIfPresent, replaceFile } from "./files.ts";
import { acquireLock, type SessionLock } from "./lock.ts";

/** How long to wait for whoever changes the file now, in milliseconds. */
const PATIENCE = 10_000;
const WAIT_MS = 10;

/** Replaces a file that several processes change, one after the other: see `HostService.changeFile`. */
export async function changeFile(path: string, change: (text: string | undefined) => string): Promise<void> {
  try {
    makePrivateDirectory(dirname(path));
    const lock = await takeLock(path);
    try {
      replaceFile(behind(path), change(readIfPresent(path)), { durable: true });
    } finally {
      lock.release();
    }
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.HOST_HOME({ path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  }
}

/** A link that its user has made stays one. */
function behind(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return path;
    throw thrown;
  }
}

async function takeLock(path: string): Promise<SessionLock> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    try {
      return acquireLock(`${path}.lock`, path);
    } catch (thrown) {
      if (!["HOST_SESSION_LOCKED", "HOST_LOCK_RACE"].includes(codeOf(thrown))) throw thrown;
      if (performance.now() > until) throw errors.HOST_FILE_BUSY({ path }, { cause: thrown });
    }
    await sleep(WAIT_MS);
  }
}
