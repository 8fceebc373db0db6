import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { isId, newId } from "@scorel/kernel";
import { isRunning, isSurelyRunning, ownIdentity, type ProcessIdentity } from "../process/identity.ts";
import { createFile, readIfPresent, removeIfPresent, replaceFile } from "./private.ts";

const ATTEMPTS = 20;
const WAIT_MS = 20;
/** A lock file of this age that says nothing readable was left by a crash, not by someone about to fill it. */
const SETTLED_MS = 2000;

/** Who a lock file names. */
export interface Holder extends ProcessIdentity {
  /** When the process started, for people. */
  since: string;
  nonce: string;
}

/** The right to change what a lock file stands for, until `release` or the end of this process. */
export interface Lock {
  /** Whether the file still names this holder. */
  holds(): boolean;
  release(): void;
}

export interface LockOptions {
  /**
   * Milliseconds after which a holder that may or may not live (on another machine, in another container) counts as gone. A
   * process that surely runs keeps its lock for any time. Default: such a holder keeps it, too.
   */
  abandonedAfter?: number;
}

/** Takes a lock, waiting up to `patience` milliseconds for its holder; undefined when that is too short. */
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
 * Takes the lock file `path` now, or answers who has it. A holder that ended is replaced; its number alone does not count, as
 * another process may have got it since. Undefined when others took and left the lock all the time.
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
 * Replaces a holder that is gone. Two takers could each rename their file over the old one and both believe that they won, so
 * the right to replace *this* holder is a lock itself, and whoever has it looks again before renaming.
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

/** Whether a holder of the lock file `path` lives, or may live where nobody here can see it. */
export function isHeld(path: string, holder: Holder, { abandonedAfter }: LockOptions = {}): boolean {
  if (holder.pid === 0) return isYoung(path, abandonedAfter ?? SETTLED_MS);
  if (!isRunning(holder)) return false;
  return abandonedAfter === undefined || isSurelyRunning(holder) || isYoung(path, abandonedAfter);
}

function isYoung(path: string, ms: number): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  // A clock that was set back makes an old file look as if it came from the future.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < ms;
}

/** Who the lock file names; undefined when there is none. */
export function holderOf(path: string): Holder | undefined {
  const text = readIfPresent(path);
  return text === undefined ? undefined : parse(text);
}

/** An unreadable lock is a holder without a process, under a name made of its bytes. */
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
