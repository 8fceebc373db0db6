import { existsSync, lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { messageOf } from "@scorel/kernel";
import type { StoredSkills } from "./contract.ts";
import { errors } from "./errors.ts";

/** `skills.lock.json`: the installed skills, keyed by the sha256 of their address. */
export interface SkillLock {
  version: 1;
  sources: Record<string, LockedSkills>;
}

export type LockedSkills = Omit<StoredSkills, "id">;

export const lockFileIn = (home: string) => join(home, "skills.lock.json");

/** Whether a lock file exists. */
export const isAnyStored = (home: string) => existsSync(lockFileIn(home));

/** Reads the lock file when it has changed. Throws SKILLSTORE_LOCK when it is damaged, or writable by others. */
export function createLockReader(home: string): () => SkillLock {
  const path = lockFileIn(home);
  let known: { mark: string; lock: SkillLock } | undefined;
  return () => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) return { version: 1, sources: {} };
    const mark = [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(" ");
    if (known?.mark !== mark) known = { mark, lock: read(path, stat) };
    return known.lock;
  };
}

/** Parses a lock file; empty without a text. Throws SKILLSTORE_LOCK. */
export function parseLock(path: string, text: string | undefined): SkillLock {
  if (text === undefined) return { version: 1, sources: {} };
  try {
    const lock: unknown = JSON.parse(text);
    if (isLock(lock)) return withTimes(lock);
  } catch (thrown) {
    throw errors.SKILLSTORE_LOCK({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
  throw errors.SKILLSTORE_LOCK({ path, reason: "it was not written by Scorel" });
}

/** Older lock files have no `addedAt`; the time of the last fetch replaces it. */
function withTimes(lock: SkillLock): SkillLock {
  const rows = Object.entries(lock.sources).map(([id, source]) => [
    id,
    { ...source, addedAt: source.addedAt ?? source.fetchedAt },
  ]);
  return { ...lock, sources: Object.fromEntries(rows) };
}

/** A time for something added now, later than all others even if the clock was set back. */
export function nextTime({ sources }: SkillLock): string {
  const latest = Math.max(...Object.values(sources).map(({ addedAt }) => Date.parse(addedAt) || 0), 0);
  return new Date(Math.max(Date.now(), latest + 1)).toISOString();
}

function read(path: string, stat: Stats): SkillLock {
  const own = process.getuid?.();
  const isForeign = own !== undefined && (![own, 0].includes(stat.uid) || (stat.mode & 0o022) !== 0);
  if (!stat.isFile()) throw errors.SKILLSTORE_LOCK({ path, reason: "it is not a regular file" });
  if (isForeign) throw errors.SKILLSTORE_LOCK({ path, reason: "other users can write to it" });
  return parseLock(path, readFileSync(path, "utf8"));
}

function isLock(value: unknown): value is SkillLock {
  if (!isTable(value) || value.version !== 1 || !isTable(value.sources)) return false;
  return Object.entries(value.sources).every(([id, source]) => isSum(id) && isTable(source) && isSource(source));
}

function isSource({ name, from, sha256, tree, skills, fetchedAt, addedAt, ...rest }: Table): boolean {
  const { files, bytes, added, isWhole } = rest;
  const isNamed = [name, from, fetchedAt, addedAt ?? ""].every((text) => typeof text === "string");
  const isCounted = [files, bytes].every((count) => typeof count === "number");
  const areSkills =
    Array.isArray(skills) && skills.every((each) => isTable(each) && isBelow(each.path) && isSum(each.sha256));
  return (
    isNamed &&
    isSum(sha256) &&
    isSum(tree) &&
    isCounted &&
    areSkills &&
    typeof added === "boolean" &&
    typeof isWhole === "boolean"
  );
}

type Table = Record<string, unknown>;
const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSum = (sum: unknown) => typeof sum === "string" && /^[\da-f]{64}$/.test(sum);

/** Whether a path is safe to use below the store. */
function isBelow(path: unknown): boolean {
  return typeof path === "string" && !path.split("/").some((part) => ["", ".", ".."].includes(part));
}
