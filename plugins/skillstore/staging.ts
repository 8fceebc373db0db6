import * as fs from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { crc32 } from "node:zlib";
import { codeOf, newId } from "@scorel/kernel";
import { makeFolder } from "@scorel/kit/files/make-folder";

/**
 * Milliseconds until unneeded folders are removed: longer than any session reads replaced skills, and than anybody
 * takes to answer.
 */
const STALE_MS = 24 * 3600 * 1000;
/**
 * Milliseconds until folders of ended processes are removed. A process that cannot be seen may run in another
 * container.
 */
const DEAD_MS = 10 * 60_000;

/** The folder of trees, which are named by their sha256. */
export const treesIn = (home: string) => join(home, "archives");

/** Creates a private staging folder next to the trees; its name identifies the process. */
export function makeStaging(home: string): string {
  const trees = treesIn(home);
  makeFolder(trees);
  const folder = join(trees, `staging-${process.pid}-${machine()}-${newId()}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** Moves a sealed tree into place; an existing intact one stays. */
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
    // Another process was faster, with the same bytes.
    if (!["EEXIST", "ENOTEMPTY"].includes(codeOf(thrown))) throw thrown;
  }
}

/** Keeps a tree for another day, even if the lock file does not name it. */
export function keep(target: string): void {
  const now = new Date();
  if (fs.existsSync(target)) fs.utimesSync(target, now, now);
}

/** Removes trees that were not needed for a day, and folders of ended processes. */
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
