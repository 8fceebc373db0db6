import { readdirSync } from "node:fs";
import { codeOf } from "@scorel/kernel";
import { type Holder, holderOf, isHeld, type Lock, tryLock } from "@scorel/kit/files/lock";
import { isSuspended } from "@scorel/kit/process/identity";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { errors } from "../errors.ts";

/** Takes the lock file `path` of a session; throws HOST_SESSION_LOCKED with the holder's pid. */
export function acquireLock(path: string, sessionId: string): Lock {
  const taken = tryLock(path);
  if (!taken) throw errors.HOST_LOCK_RACE({ path });
  if ("release" in taken) return taken;
  throw locked(path, sessionId, taken);
}

/** Returns true when a running process holds the lock file `path`. */
export function isLocked(path: string): boolean {
  const holder = holderOf(path);
  return holder !== undefined && isHeld(path, holder);
}

/** The process named in a lock file, and whether it still runs. */
export interface LockState {
  /** `stale`: the process has ended, and the next opening takes over the lock. */
  state: "held" | "suspended" | "stale";
  /** The process id; 0 if the file is unreadable. */
  pid: number;
  since: string;
}

/** Returns the state of a lock file; undefined when there is none. */
export function lockState(path: string): LockState | undefined {
  const holder = holderOf(path);
  if (!holder) return undefined;
  const { pid, since } = holder;
  if (!isHeld(path, holder)) return { state: "stale", pid, since };
  return { state: isSuspended(holder) ? "suspended" : "held", pid, since };
}

/** Ids of the sessions in a folder that have a lock file. */
export function lockedIn(directory: string): string[] {
  try {
    return readdirSync(directory).flatMap((name) => (name.endsWith(".lock") ? name.slice(0, -".lock".length) : []));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw errors.HOST_HOME({ path: directory, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function locked(path: string, sessionId: string, holder: Holder) {
  const suspended = isSuspended(holder);
  return errors.HOST_SESSION_LOCKED({
    sessionId,
    pid: holder.pid,
    since: holder.since,
    path,
    ...(suspended && { suspended }),
  });
}
