import * as fs from "node:fs";
import { basename, join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { removeCopy, removeStale, retireCopy } from "@scorel/kit/files/copy";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import { makePrivate } from "@scorel/kit/files/private-folder";
import type { LockEntry, PresetLock } from "../contract.ts";
import { errors } from "../errors.ts";
import type { PresetKnowledge } from "./knowledge.ts";
import { entryOf, isAnyStaged, isPresetName, lockNow, stagingDir, writeLock } from "./lock.ts";
import { clearStaging, clearTemporaries, type Plan, readyPlans, writePlan } from "./staging.ts";
import { hashOf } from "./tree.ts";

const PATIENCE_MS = 10_000;
/** Milliseconds; longer than any process holds the lock. */
const ABANDONED_MS = 60_000;

/**
 * The installed presets. Finishes an interrupted installation first. Throws PRESET_LOCK when the lock file is damaged or other
 * users could have written it: then no installed preset is used.
 */
export async function readLock(): Promise<PresetLock> {
  if (isAnyStaged()) await settle();
  return lockNow();
}

/** Where a preset of this name is installed. */
export const folderOf = (name: string) => join(canonical(presetsDir()), name);

/** Carries out plans that an interrupted process has written. */
export async function settle(): Promise<void> {
  if (readyPlans().length > 0) await locked(() => {});
}

/**
 * Installs or removes a preset in one step. Once its plan is written, the step is carried out even if this process is killed;
 * before that, nothing has changed. Returns false when `unless` returns a reason against it under the lock.
 */
export async function carryOut(
  folder: string,
  plan: Plan,
  unless: (before: LockEntry | undefined) => string | undefined = () => undefined,
): Promise<boolean> {
  await locked(() => {
    const reason = unless(entryOf(lockNow(), plan.name));
    if (reason !== undefined) throw errors.PRESET_TAKEN({ name: plan.name, reason });
    writePlan(folder, plan);
    finish(folder, plan);
  });
  return true;
}

/** Why no preset can be installed under a name; an installed preset of that name does not count. */
export function reasonAgainst(name: string, { shipped }: Pick<PresetKnowledge, "shipped">): string | undefined {
  if (!isPresetName(name)) return "a name takes lower-case letters, digits and single . _ - between them";
  if (shipped().includes(name)) return "a preset of Scorel has this name";
  if (fs.existsSync(join(presetsDir(), `${name}.toml`))) return `${join(presetsDir(), name)}.toml has it`;
  const isOwn = fs.existsSync(folderOf(name)) && !entryOf(lockNow(), name);
  return isOwn ? `${join(presetsDir(), name)} is there and was not installed` : undefined;
}

/** Carries out a plan. Every step may be repeated, so an interrupted one is finished by the next caller. */
function finish(folder: string, { name, entry }: Plan): void {
  const target = folderOf(name);
  const staged = join(folder, "package");
  if (!entry || fs.existsSync(staged)) {
    if (fs.existsSync(target)) fs.renameSync(target, join(folder, `old-${Date.now()}`));
    if (entry) fs.renameSync(staged, target);
  }
  const lock = lockNow();
  const before = entryOf(lock, name);
  if (entry) lock.presets[name] = entry;
  else delete lock.presets[name];
  writeLock(lock);
  if (before) clearCopies(hashOf(before.files), lock, entry !== undefined);
  // The plan is removed first, so that it is not carried out again after a later one.
  fs.rmSync(join(folder, "plan.json"), { force: true });
  fs.rmSync(folder, { recursive: true, force: true });
}

/** Keeps the copy of an earlier version for sessions that still use it, and removes that of a removed preset at once. */
function clearCopies(before: string, { presets }: PresetLock, isUpdate: boolean): void {
  const kept = Object.values(presets).map(({ files }) => hashOf(files));
  if (isUpdate) retireCopy(before, "presets");
  else if (!kept.includes(before)) removeCopy(before, "presets");
  removeStale("presets", kept);
}

/** Runs `work` under the lock, after interrupted steps have been finished. */
async function locked(work: () => void): Promise<void> {
  makePrivate(userDir(), presetsDir(), stagingDir());
  const path = join(presetsDir(), "presets.lock.json");
  const { takeLock } = await import("@scorel/kit/files/lock");
  const lock = await takeLock(`${path}.lock`, PATIENCE_MS, { abandonedAfter: ABANDONED_MS }).catch(
    (thrown: unknown) => {
      throw errors.PRESET_LOCK({ path, reason: messageOf(thrown) }, { cause: thrown });
    },
  );
  if (!lock) throw errors.PRESET_LOCK({ path, reason: "another process is changing it" });
  try {
    for (const { folder, plan } of readyPlans()) finish(join(stagingDir(), basename(folder)), plan);
    clearStaging();
    clearTemporaries();
    work();
  } finally {
    lock.release();
  }
}
