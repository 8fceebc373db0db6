import * as fs from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { removeCopy, removeStale, retireCopy } from "@scorel/kit/files/copy";
import { userDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { makePrivate } from "@scorel/kit/files/private-folder";
import { reasonOf } from "@scorel/kit/values/coded-error";
import type { LockEntry, PackageLock } from "../contract.ts";
import { errors } from "../errors.ts";
import type { PackageKind } from "./kinds.ts";
import { entryOf, isAnyStaged, lockNow, stagingDir, writeLock } from "./lock.ts";
import { clearStaging, clearTemporaries, type Plan, readyPlans, writePlan } from "./staging.ts";
import { hashOf } from "./tree.ts";

const PATIENCE_MS = 10_000;
/** Milliseconds after which the lock counts as abandoned; longer than any process holds it. */
const ABANDONED_MS = 60_000;

/**
 * The installed packages. Finishes an interrupted installation first. Throws PRESET_LOCK or PACKAGE_LOCK when the lock
 * file is damaged or other users could have written it; no installed package is used then.
 */
export async function readLock(kind: PackageKind): Promise<PackageLock> {
  if (isAnyStaged(kind)) await settle(kind);
  return lockNow(kind);
}

/** Where a package of this name is installed. */
export const folderOf = ({ dir }: PackageKind, name: string) => join(canonical(dir()), name);

/** Carries out plans that an interrupted process has written. */
export async function settle(kind: PackageKind): Promise<void> {
  if (readyPlans(kind).length > 0) await locked(kind, () => {});
}

/**
 * Installs or removes a package in one step. Once its plan is written, the step will be completed even if this process
 * is killed; before that, nothing has changed. Throws PRESET_TAKEN or PACKAGE_TAKEN when `unless`, called under the lock,
 * returns a reason against it, and PACKAGES_UNFINISHED when the step has failed after its plan was written.
 */
export async function carryOut(
  kind: PackageKind,
  folder: string,
  plan: Plan,
  unless: (before: LockEntry | undefined) => string | undefined = () => undefined,
): Promise<void> {
  await locked(kind, () => {
    const reason = unless(entryOf(lockNow(kind), plan.name));
    if (reason !== undefined) throw kind.errors.taken({ name: plan.name, reason });
    writePlan(folder, plan);
    complete(kind, folder, plan);
  });
}

/** Carries out a plan. If that fails half-way, the plan stays for the next command, and PACKAGES_UNFINISHED is thrown. */
function complete(kind: PackageKind, folder: string, plan: Plan): void {
  try {
    finish(kind, folder, plan);
  } catch (thrown) {
    if (!hasBegun(folder, plan)) {
      // The package cannot be moved at all, as if its folder were a mount point. Every later command would fail at this plan.
      fs.rmSync(join(folder, "plan.json"), { force: true });
      throw thrown;
    }
    throw errors.PACKAGES_UNFINISHED({ name: plan.name, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function hasBegun(folder: string, { entry }: Plan): boolean {
  const names = fs.readdirSync(folder);
  return names.some((name) => name.startsWith("old-")) || (entry !== undefined && !names.includes("package"));
}

/** Carries out a plan. Each of its actions may be repeated, so the next caller can finish an interrupted plan. */
function finish(kind: PackageKind, folder: string, { name, entry }: Plan): void {
  const target = folderOf(kind, name);
  const staged = join(folder, "package");
  if (!entry || fs.existsSync(staged)) {
    if (fs.existsSync(target)) fs.renameSync(target, join(folder, `old-${Date.now()}`));
    if (entry) fs.renameSync(staged, target);
  }
  const lock = lockNow(kind);
  const before = entryOf(lock, name);
  if (entry) lock[name] = entry;
  else delete lock[name];
  writeLock(kind, lock);
  if (before) clearCopies(kind, hashOf(before.files), lock, entry !== undefined);
  // The plan is removed first, so that it is not carried out again after a later one.
  fs.rmSync(join(folder, "plan.json"), { force: true });
  fs.rmSync(folder, { recursive: true, force: true });
}

/**
 * Keeps the copy of an earlier version for sessions that still use it; removes the copy of a removed package at once.
 */
function clearCopies({ copies }: PackageKind, before: string, lock: PackageLock, isUpdate: boolean): void {
  const kept = Object.values(lock).map(({ files }) => hashOf(files));
  if (isUpdate) retireCopy(before, copies);
  else if (!kept.includes(before)) removeCopy(before, copies);
  removeStale(copies, kept);
}

/** Runs `work` under the lock, after finishing interrupted steps. */
async function locked(kind: PackageKind, work: () => void): Promise<void> {
  makePrivate(userDir(), kind.dir(), stagingDir(kind));
  const path = join(kind.dir(), kind.lockName);
  const { takeLock } = await import("@scorel/kit/files/lock");
  const lock = await takeLock(`${path}.lock`, PATIENCE_MS, { abandonedAfter: ABANDONED_MS }).catch(
    (thrown: unknown) => {
      throw kind.errors.lock({ path, reason: messageOf(thrown) }, { cause: thrown });
    },
  );
  if (!lock) throw kind.errors.lock({ path, reason: "another process is changing it" });
  try {
    for (const { folder, plan } of readyPlans(kind)) complete(kind, join(stagingDir(kind), basename(folder)), plan);
    clearStaging(kind);
    clearTemporaries(kind);
    work();
  } finally {
    lock.release();
  }
}
