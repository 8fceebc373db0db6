import * as fs from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf } from "@scorel/kit/files/private-folder";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { isTable } from "@scorel/kit/values/table";
import type { LockEntry, PackageLock } from "../contract.ts";
import type { PackageKind } from "./kinds.ts";

/** The folder in which packages are staged. It also contains the plans of running installations and removals. */
export const stagingDir = ({ dir }: PackageKind) => join(dir(), ".staging");

const lockFile = ({ dir, lockName }: PackageKind) => join(dir(), lockName);

/** Whether the lock file exists; costs one system call. */
export const isAnyInstalled = (kind: PackageKind) => fs.existsSync(lockFile(kind));

/** Whether an installation or removal may be unfinished. */
export const isAnyStaged = (kind: PackageKind) => fs.existsSync(stagingDir(kind));

/** The installed packages according to the lock file. Throws PRESET_LOCK or PACKAGE_LOCK. */
export function lockNow(kind: PackageKind): PackageLock {
  const path = lockFile(kind);
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return {};
  const flaw = flawOf(stats);
  if (flaw) throw kind.errors.lock({ path, reason: flaw });
  try {
    const lock: unknown = JSON.parse(fs.readFileSync(path, "utf8"));
    const entries = isTable(lock) && lock.version === 1 ? lock[kind.table] : undefined;
    if (isLock(entries)) return entries;
  } catch (thrown) {
    throw kind.errors.lock({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
  throw kind.errors.lock({ path, reason: "it was not written by Scorel" });
}

/** Replaces the file: readers see the old one or the new one. The caller must hold the lock. */
export function writeLock(kind: PackageKind, entries: PackageLock): void {
  const path = lockFile(kind);
  const text = `${JSON.stringify({ version: 1, [kind.table]: entries }, null, 2)}\n`;
  try {
    replaceFile(path, text, { durable: true });
  } catch (thrown) {
    throw kind.errors.lock({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

/** An entry by its name. Looks at own properties only, because names come from command lines and paths. */
export function entryOf(lock: PackageLock, name: string): LockEntry | undefined {
  return Object.hasOwn(lock, name) ? lock[name] : undefined;
}

/** A valid name of an installed package: a plain folder name on every system, not a path. */
export function isPackageName(name: string): boolean {
  return /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/.test(name) && name.length <= 64 && !name.endsWith(".toml");
}

function isLock(value: unknown): value is PackageLock {
  return isTable(value) && Object.entries(value).every(([name, entry]) => isPackageName(name) && isEntry(entry));
}

function isEntry(value: unknown): value is LockEntry {
  if (!isTable(value) || !isTable(value.source) || !isTable(value.files)) return false;
  const isKnown = ["path", "tarball", "git", "npm", "git+https", "git+ssh"].includes(String(value.source.kind));
  const isNamed = typeof value.source.spec === "string" && typeof value.installedAt === "string";
  const files = Object.entries(value.files);
  const packages = Array.isArray(value.packages) && value.packages.every(isPackage);
  return isKnown && isNamed && packages && files.every(([path, sum]) => isBelow(path) && isSum(sum));
}

function isPackage(value: unknown): boolean {
  return isTable(value) && [value.name, value.version, value.integrity].every((text) => typeof text === "string");
}

/**
 * Whether a path stays inside the package's folder. Checked because the lock file's paths are used below that folder.
 */
function isBelow(path: string): boolean {
  return path !== "" && !path.split("/").some((part) => ["", ".", ".."].includes(part));
}

const isSum = (sum: unknown) => /^[\da-f]{64}$/.test(String(sum));
