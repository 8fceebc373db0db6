import { statSync } from "node:fs";
import { crc32 } from "node:zlib";
import { isId, newId } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { createFile, readIfPresent, removeIfPresent, replaceFile } from "./files.ts";
import { isRunning, isSuspended, ownIdentity, type ProcessIdentity } from "./identity.ts";

const ATTEMPTS = 20;
/** A lock file of this age that says nothing readable was left by a crash, not by someone about to fill it. */
const SETTLED_MS = 2000;

interface Holder extends ProcessIdentity {
  /** When the process started, for people. */
  since: string;
  nonce: string;
}

/** The right to write one session, for as long as this process lives or until `release`. */
export interface SessionLock {
  release(): void;
}

/** Takes the lock file `path`, or throws HOST_SESSION_LOCKED naming who has it. A holder that died is replaced. */
export function acquireLock(path: string, sessionId: string): SessionLock {
  const me: Holder = { ...ownIdentity(), since: startTime(), nonce: newId() };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (createFile(path, JSON.stringify(me))) return heldLock(path, me);
    const holder = readHolder(path);
    if (!holder) continue;
    if (isHeld(path, holder)) throw locked(path, sessionId, holder);
    if (takeOver(path, sessionId, holder, me)) return heldLock(path, me);
  }
  throw errors.HOST_LOCK_RACE({ path });
}

/** Whether someone alive has the lock file `path`. */
export function isLocked(path: string): boolean {
  const holder = readHolder(path);
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
  const holder = readHolder(path);
  if (!holder) return undefined;
  const { pid, since } = holder;
  if (!isHeld(path, holder)) return { state: "stale", pid, since };
  return { state: isSuspended(holder) ? "suspended" : "held", pid, since };
}

function heldLock(path: string, me: Holder): SessionLock {
  return {
    release: () => {
      if (readHolder(path)?.nonce === me.nonce) removeIfPresent(path);
    },
  };
}

/**
 * Replaces a dead holder. Two takers could each rename theirs over the dead one and both believe they won,
 * so the right to replace *this* holder is itself a lock, and whoever has it looks again before renaming.
 */
function takeOver(path: string, sessionId: string, dead: Holder, me: Holder): boolean {
  const claim = acquireLock(`${path}.${dead.nonce}`, sessionId);
  try {
    if (readHolder(path)?.nonce !== dead.nonce) return false;
    replaceFile(path, JSON.stringify(me));
    return readHolder(path)?.nonce === me.nonce;
  } finally {
    claim.release();
  }
}

function isHeld(path: string, holder: Holder): boolean {
  return holder.pid === 0 ? isYoung(path) : isRunning(holder);
}

function isYoung(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A clock that was set back makes an old file look as if it came from the future.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < SETTLED_MS;
}

function readHolder(path: string): Holder | undefined {
  const text = readIfPresent(path);
  return text === undefined ? undefined : parseHolder(text);
}

/** An unreadable lock is a holder without a process, under a name made of its bytes. */
function parseHolder(text: string): Holder {
  const unknown = { pid: 0, start: "", boot: "", space: "", machine: "", since: "unknown", nonce: `x${crc32(text)}` };
  try {
    const holder = { ...unknown, ...(JSON.parse(text) as Partial<Holder>) };
    return isId(holder.nonce) ? holder : { ...holder, nonce: unknown.nonce };
  } catch {
    return unknown;
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

function startTime(): string {
  return new Date(Date.now() - process.uptime() * 1000).toISOString();
}
