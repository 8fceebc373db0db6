import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { presetsDir } from "@scorel/kit/files/home";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf } from "@scorel/kit/files/private-folder";
import { isTable } from "@scorel/kit/values/table";
import type { LockEntry, PresetLock } from "../contract.ts";
import { errors } from "../errors.ts";

/** The folder in which presets are staged, with the plans of running installations and removals. */
export const stagingDir = () => join(presetsDir(), ".staging");

const lockFile = () => join(presetsDir(), "presets.lock.json");

/** Whether the lock file exists; costs one system call. */
export const isAnyInstalled = () => fs.existsSync(lockFile());

/** Whether an installation or removal may be unfinished. */
export const isAnyStaged = () => fs.existsSync(stagingDir());

/** The installed presets according to the lock file. Throws PRESET_LOCK. */
export function lockNow(path = lockFile()): PresetLock {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return { version: 1, presets: {} };
  const flaw = flawOf(stats);
  if (flaw) throw errors.PRESET_LOCK({ path, reason: flaw });
  try {
    const lock: unknown = JSON.parse(fs.readFileSync(path, "utf8"));
    if (isLock(lock)) return lock;
  } catch (thrown) {
    throw errors.PRESET_LOCK({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
  throw errors.PRESET_LOCK({ path, reason: "it is not what Scorel has written" });
}

/** Replaces the file: readers see the old one or the new one. The caller must hold the lock. */
export function writeLock(lock: PresetLock, path = lockFile()): void {
  try {
    replaceFile(path, `${JSON.stringify(lock, null, 2)}\n`, { durable: true });
  } catch (thrown) {
    throw errors.PRESET_LOCK({ path, reason: codeOf(thrown, messageOf(thrown)) }, { cause: thrown });
  }
}

/** Looks at own properties only, because names come from command lines and paths. */
export function entryOf(lock: PresetLock, name: string): LockEntry | undefined {
  return Object.hasOwn(lock.presets, name) ? lock.presets[name] : undefined;
}

/** A valid name of an installed preset: a plain folder name on every system, not a path. */
export function isPresetName(name: string): boolean {
  return /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(name) && name.length <= 64 && !name.endsWith(".toml");
}

function isLock(value: unknown): value is PresetLock {
  if (!isTable(value) || value.version !== 1 || !isTable(value.presets)) return false;
  return Object.entries(value.presets).every(([name, entry]) => isPresetName(name) && isEntry(entry));
}

function isEntry(value: unknown): value is LockEntry {
  if (!isTable(value) || !isTable(value.source) || !isTable(value.files)) return false;
  const isKnown = ["path", "tarball", "git", "npm"].includes(String(value.source.kind));
  const isNamed = typeof value.source.spec === "string" && typeof value.installedAt === "string";
  const files = Object.entries(value.files);
  const packages = Array.isArray(value.packages) && value.packages.every(isPackage);
  return isKnown && isNamed && packages && files.every(([path, sum]) => isBelow(path) && isSum(sum));
}

function isPackage(value: unknown): boolean {
  return isTable(value) && [value.name, value.version, value.integrity].every((text) => typeof text === "string");
}

/** Checked because they become paths in the preset's folder. */
function isBelow(path: string): boolean {
  return path !== "" && !path.split("/").some((part) => ["", ".", ".."].includes(part));
}

const isSum = (sum: unknown) => /^[\da-f]{64}$/.test(String(sum));
