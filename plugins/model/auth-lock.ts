import * as fs from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { codeOf, messageOf, newId } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Longer than anyone holds one; a lock that is older was left by a process that cannot be asked after. */
const STALE_MS = 60_000;
const WAIT_MS = 20;

/** The right to change what the lock file stands for, until `release`. */
export interface Lock {
  /** Whether it is still ours: a process that was stopped for long may have lost it. */
  holds(): boolean;
  release(): void;
}

/** Waits up to `patience` milliseconds for whoever has the lock; throws MODEL_AUTH_FILE when that is too short. */
export async function takeLock(path: string, patience: number): Promise<Lock> {
  const until = performance.now() + patience;
  for (;;) {
    const lock = tryLock(path);
    if (lock) return lock;
    if (performance.now() > until) throw errors.MODEL_AUTH_FILE({ path, reason: "another process holds it" });
    await sleep(WAIT_MS);
  }
}

/**
 * Two processes could each remove what a dead one left, the second one the lock that the first has just taken. So the
 * right to replace *this* dead holder is a lock itself, and whoever has it looks again before replacing.
 */
function tryLock(path: string): Lock | undefined {
  const mine = JSON.stringify({ pid: process.pid, place: place(), nonce: newId() });
  if (create(path, mine)) return held(path, mine);
  const holder = contentOf(path);
  if (holder === undefined || !isLeft(path, holder)) return undefined;
  const claim = tryLock(`${path}.${crc32(holder).toString(16)}`);
  if (!claim) return undefined;
  try {
    if (contentOf(path) !== holder) return undefined;
    const temporary = `${path}.${newId()}.tmp`;
    fs.writeFileSync(temporary, mine, { flag: "wx", mode: 0o600 });
    fs.renameSync(temporary, path);
    return held(path, mine);
  } finally {
    claim.release();
  }
}

function held(path: string, mine: string): Lock {
  const holds = () => contentOf(path) === mine;
  return { holds, release: () => holds() && fs.rmSync(path, { force: true }) };
}

/** With its whole content at once: a process that is killed here leaves no lock that nobody can be asked about. */
function create(path: string, content: string): boolean {
  if (fs.existsSync(path)) return false;
  const temporary = `${path}.${newId()}.tmp`;
  try {
    fs.writeFileSync(temporary, content, { flag: "wx", mode: 0o600 });
    link(temporary, path, content);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw errors.MODEL_AUTH_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  } finally {
    fs.rmSync(temporary, { force: true });
  }
}

/** Some file systems have no hard links; there the file is empty for a moment. */
function link(from: string, to: string, content: string): void {
  try {
    fs.linkSync(from, to);
  } catch (thrown) {
    if (!["EPERM", "EACCES", "ENOTSUP", "ENOSYS"].includes(codeOf(thrown))) throw thrown;
    fs.writeFileSync(to, content, { flag: "wx", mode: 0o600 });
  }
}

function contentOf(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw errors.MODEL_AUTH_FILE({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

function isLeft(path: string, holder: string): boolean {
  if (isGone(holder)) return true;
  const stat = fs.statSync(path, { throwIfNoEntry: false });
  // A clock that was set back makes an old file look as if it came from the future.
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) > STALE_MS;
}

/** Whether the holder is a process of this place that has ended. One that cannot be seen from here may live. */
function isGone(holder: string): boolean {
  try {
    const { pid, place: where } = JSON.parse(holder) as { pid: number; place: string };
    if (where === "" || where !== place()) return false;
    process.kill(pid, 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH";
  }
}

/** Where process ids mean the same: this machine, since it was started, in this container; empty when that is unknown. */
function place(): string {
  try {
    const boot = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${hostname()} ${boot} ${fs.readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // No such files on this system: then only its age tells that a lock was left.
    return "";
  }
}
