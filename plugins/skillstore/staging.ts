import * as fs from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { codeOf, newId } from "@scorel/kernel";

/** Longer than any session reads what was replaced, and than anyone takes to answer. */
const STALE_MS = 24 * 3600 * 1000;
/** A process that cannot be seen may run in another container. */
const DEAD_MS = 10 * 60_000;

/** Where trees are kept, by their sha256. */
export const treesIn = (home: string) => join(home, "archives");

/** A new private folder beside the trees, whose name says which process it belongs to. */
export function makeStaging(home: string): string {
  const trees = treesIn(home);
  fs.mkdirSync(trees, { recursive: true, mode: 0o700 });
  const folder = join(trees, `staging-${process.pid}-${machine()}-${newId()}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Puts a sealed tree in its place; one that is there and intact stays. */
export function place(home: string, staged: string, tree: string, isIntact: () => boolean): void {
  const target = join(treesIn(home), tree);
  if (fs.existsSync(target) && isIntact()) {
    keep(target);
    return;
  }
  if (fs.existsSync(target)) fs.renameSync(target, join(staged, `damaged-${newId()}`));
  try {
    fs.renameSync(join(staged, "tree"), target);
  } catch (thrown) {
    // Another process was as fast, with the same bytes.
    if (!["EEXIST", "ENOTEMPTY"].includes(codeOf(thrown))) throw thrown;
  }
}

/** From now on it may be needed for a day, whether the lock file names it or not. */
export function keep(target: string): void {
  const now = new Date();
  if (fs.existsSync(target)) fs.utimesSync(target, now, now);
}

/** Removes what nobody has named for a day, and what processes left that have ended. */
export function sweep(home: string, named: ReadonlySet<string>): void {
  for (const name of fs.readdirSync(treesIn(home))) {
    const folder = join(treesIn(home), name);
    const age = Date.now() - (fs.statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    const isLeft = age > STALE_MS || (name.startsWith("staging-") && age > DEAD_MS && isOwnerGone(folder));
    if (isLeft && !named.has(name)) fs.rmSync(folder, { recursive: true, force: true });
  }
}

function isOwnerGone(folder: string): boolean {
  const [, pid, where] = basename(folder).split("-");
  if (where !== machine() || !/^\d+$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH";
  }
}

const machine = () => crc32(hostname()).toString(16);
