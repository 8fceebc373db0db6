import { type Holder, holderOf, isHeld, type Lock, tryLock } from "@scorel/kit/files/lock";
import { isSuspended } from "@scorel/kit/process/identity";
import { errors } from "./errors.ts";

/** Takes the lock file `path` of a session, or throws HOST_SESSION_LOCKED naming who has it. */
export function acquireLock(path: string, sessionId: string): Lock {
  const taken = tryLock(path);
  if (!taken) throw errors.HOST_LOCK_RACE({ path });
  if ("release" in taken) return taken;
  throw locked(path, sessionId, taken);
}

/** Whether someone alive has the lock file `path`. */
export function isLocked(path: string): boolean {
  const holder = holderOf(path);
  return holder !== undefined && isHeld(path, holder);
}

/** Who a lock file names, and what became of them. */
export interface LockState {
  /** `stale`: that process is gone, so the next opening takes the lock over. */
  state: "held" | "suspended" | "stale";
  /** 0 when the file names nobody. */
  pid: number;
  since: string;
}

/** What a lock file says; undefined when there is none. */
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
