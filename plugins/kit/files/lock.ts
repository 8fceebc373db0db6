import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { isRunning, isSurelyRunning, ownIdentity, type ProcessIdentity } from "../process/identity.ts";
import { isId, newId } from "../values/id.ts";
import { createFile, readIfPresent, removeIfPresent, replaceFile } from "./private.ts";

const ATTEMPTS = 20;
const WAIT_MS = 20;
/** An unreadable lock file of this age was left by a crash; a younger one may be in the process of being written. */
const SETTLED_MS = 2000;

/** The process that holds a lock, as written in the lock file. */
export interface Holder extends ProcessIdentity {
  /** When the process started, to be shown. */
  since: string;
  nonce: string;
}

/** A lock that this process holds until `release`, or until the process ends. */
export interface Lock {
  /** Whether the file still names this holder. */
  holds(): boolean;
  release(): void;
}

/** Options of `takeLock` and `tryLock`. */
export interface LockOptions {
  /**
   * Milliseconds after which a holder counts as gone if it cannot be checked, because it is on another machine or in another
   * container. A process that certainly runs keeps its lock for any time. Default: holders that cannot be checked keep it, too.
   */
  abandonedAfter?: number;
}

/** Takes a lock. Waits up to `patience` milliseconds for its holder; returns undefined if the lock is still held then. */
export async function takeLock(path: string, patience: number, options: LockOptions = {}): Promise<Lock | undefined> {
  const until = performance.now() + patience;
  for (;;) {
    const taken = tryLock(path, options);
    if (taken && "release" in taken) return taken;
    if (performance.now() > until) return undefined;
    await sleep(WAIT_MS);
  }
}

/**
 * Takes the lock file `path`, or returns who holds it. A holder that has ended is replaced. Its start time is compared, too,
 * since another process may have its pid now. Returns undefined if other processes kept taking and releasing the lock.
 */
export function tryLock(path: string, options: LockOptions = {}): Lock | Holder | undefined {
  const me: Holder = { ...ownIdentity(), since: startTime(), nonce: newId() };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const holder = holderOf(path);
    if (!holder) {
      if (createFile(path, JSON.stringify(me))) return lockOf(path, me);
      continue;
    }
    if (isHeld(path, holder, options)) return holder;
    const claim = tryLock(`${path}.${holder.nonce}`, options);
    if (!claim || !("release" in claim)) return claim;
    if (takeOver(path, holder, me, claim)) return lockOf(path, me);
  }
  return undefined;
}

/**
 * Replaces a holder that is gone. If two processes renamed their files over the old one, both would believe they hold the lock.
 * So replacing a given holder needs a lock of its own, and the process that has it checks the holder again before it renames.
 */
function takeOver(path: string, gone: Holder, me: Holder, claim: Lock): boolean {
  try {
    if (holderOf(path)?.nonce !== gone.nonce) return false;
    replaceFile(path, JSON.stringify(me));
    return holderOf(path)?.nonce === me.nonce;
  } finally {
    claim.release();
  }
}

function lockOf(path: string, { nonce }: Holder): Lock {
  const holds = () => holderOf(path)?.nonce === nonce;
  return { holds, release: () => holds() && removeIfPresent(path) };
}

/** Whether a holder of the lock file `path` runs, or may run where this process cannot check it. */
export function isHeld(path: string, holder: Holder, { abandonedAfter }: LockOptions = {}): boolean {
  if (holder.pid === 0) return isYoung(path, abandonedAfter ?? SETTLED_MS);
  if (!isRunning(holder)) return false;
  return abandonedAfter === undefined || isSurelyRunning(holder) || isYoung(path, abandonedAfter);
}

function isYoung(path: string, ms: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // If the clock was set back, an old file can have a time in the future.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < ms;
}

/** The holder that the lock file names; undefined when there is no file. */
export function holderOf(path: string): Holder | undefined {
  const text = readIfPresent(path);
  return text === undefined ? undefined : parse(text);
}

/** Reads a lock file. For an unreadable one, the holder has no process, and its nonce is made from the text. */
function parse(text: string): Holder {
  const unknown = { pid: 0, start: "", boot: "", space: "", machine: "", since: "unknown", nonce: `x${crc32(text)}` };
  try {
    const holder = { ...unknown, ...(JSON.parse(text) as Partial<Holder>) };
    return isId(holder.nonce) ? holder : { ...holder, nonce: unknown.nonce };
  } catch {
    return unknown;
  }
}

function startTime(): string {
  return new Date(Date.now() - process.uptime() * 1000).toISOString();
}
