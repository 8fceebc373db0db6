import { type Holder, holderOf, isHeld, type Lock, tryLock } from "@scorel/kit/files/lock";
import { isSuspended } from "@scorel/kit/process/identity";
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

/** The holder that a lock file names and whether it still runs. */
export interface LockState {
  /** `stale`: the process has ended, so the next opening takes the lock over. */
  state: "held" | "suspended" | "stale";
  /** 0 when the file is unreadable. */
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
