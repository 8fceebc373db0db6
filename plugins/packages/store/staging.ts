import * as fs from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { codeOf, newId } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { replaceFile } from "@scorel/kit/files/private";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { LockEntry } from "../contract.ts";
import type { PackageKind } from "./kinds.ts";
import { stagingDir } from "./lock.ts";

/**
 * Milliseconds; longer than any installation takes. Older folders belong to processes of other machines or boots, which
 * cannot be checked.
 */
const STALE_MS = 24 * 3600 * 1000;

/**
 * A planned step. With `entry`, the folder `package` next to the plan is installed under the name; without it, the
 * package is removed.
 */
export interface Plan {
  name: string;
  entry?: LockEntry;
}

/** Makes a folder whose name identifies the process that it belongs to. */
export function makeStaging(kind: PackageKind): string {
  makePrivate(userDir(), kind.dir(), stagingDir(kind));
  const folder = join(canonical(stagingDir(kind)), `${process.pid}-${machine()}-${newId()}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Writes the plan of a step. From then on the step will be completed, by another process if this one is killed. */
export function writePlan(folder: string, plan: Plan): void {
  replaceFile(join(folder, "plan.json"), JSON.stringify(plan), { durable: true });
}

/** Removes a staging folder, unless its plan is still to be completed: the folder may hold the only copy of the former package. */
export function discardStaging(folder: string): void {
  if (textAt(join(folder, "plan.json")) === undefined) fs.rmSync(folder, { recursive: true, force: true });
}

/** Plans that were not carried out, because their process was killed or the disk failed. */
export function readyPlans(kind: PackageKind): { folder: string; plan: Plan }[] {
  return folders(kind).flatMap((folder) => {
    const text = textAt(join(folder, "plan.json"));
    return text === undefined ? [] : [{ folder, plan: JSON.parse(text) as Plan }];
  });
}

/** Removes folders of processes that ended before they wrote a plan. */
export function clearStaging(kind: PackageKind): void {
  for (const folder of folders(kind))
    if (textAt(join(folder, "plan.json")) === undefined && isLeft(folder))
      fs.rmSync(folder, { recursive: true, force: true });
}

/** Removes half-written lock files. The caller must hold the lock. */
export function clearTemporaries({ dir, lockName }: PackageKind): void {
  const isTemporary = (name: string) => name.startsWith(`${lockName}.`) && name.endsWith(".tmp");
  for (const name of fs.readdirSync(dir()).filter(isTemporary)) {
    const path = join(dir(), name);
    // Files of the lock itself may belong to a process that waits for it.
    const isOld = Date.now() - (fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > STALE_MS;
    if (isOld || !name.startsWith(`${lockName}.lock.`)) fs.rmSync(path, { force: true });
  }
}

function folders(kind: PackageKind): string[] {
  const dir = stagingDir(kind);
  if (!fs.existsSync(dir)) return [];
  return fs.readdirSync(dir).map((name) => join(dir, name));
}

function isLeft(folder: string): boolean {
  const stats = fs.statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (Date.now() - stats.mtimeMs > STALE_MS || isOwnerGone(folder));
}

/** Whether a folder belongs to a process of this machine that has ended. */
function isOwnerGone(folder: string): boolean {
  const [pid, where] = basename(folder).split("-");
  if (where !== machine() || !/^\d+$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH";
  }
}

const machine = () => crc32(hostname()).toString(16);

function textAt(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  }
}
