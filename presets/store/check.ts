import { existsSync } from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { canonical } from "@scorel/kit/files/paths";
import type { LockEntry } from "@scorel/packages/contract";
import type { TrustChange } from "@scorel/trust/contract";
import { errors } from "../errors.ts";
import { changesIn } from "../trust/changes.ts";
import { keepCopy } from "../trust/copy.ts";
import { readTree, type Tree } from "../trust/tree.ts";
import { entryOf, presetsDir, readLock } from "./lock.ts";

const NAMED = 5;

/**
 * The folder to read an installed preset from: a private copy of exactly the bytes that were hashed and found to be the
 * installed ones. Undefined for a folder that the user has put there by hand. Throws PRESET_CHANGED and PRESET_LOCK.
 */
export async function verifiedPreset(name: string): Promise<string | undefined> {
  for (let entry = entryOf(await readLock(), name); entry; ) {
    try {
      return verified(name, entry);
    } catch (thrown) {
      // It may have been updated between the look at the lock file and the one at the folder.
      const now = entryOf(await readLock(), name);
      if (JSON.stringify(now) === JSON.stringify(entry)) throw thrown;
      entry = now;
    }
  }
  return undefined;
}

function verified(name: string, entry: LockEntry): string {
  const tree = presetTree(join(canonical(presetsDir()), name));
  const changed = changesTo(tree, entry);
  if (changed.length > 0) throw errors.PRESET_CHANGED({ name, files: summary(changed) });
  return keepPreset(tree);
}

/** Everything in the folder of a preset, read once; nothing when there is no such folder. Throws PRESET_TREE. */
export function presetTree(folder: string): Tree {
  if (!existsSync(folder)) return { root: folder, files: new Map(), hash: hashOf({}) };
  const tree = readTree(folder, [folder], {
    refuse: (path, reason, options) => errors.PRESET_TREE({ path, reason }, options),
  });
  return { ...tree, hash: hashOf(sumsOf(tree)) };
}

/** What differs from what was installed, with the lines of small texts. */
export function changesTo(tree: Tree, { files }: LockEntry): TrustChange[] {
  return changesIn(tree, { hash: hashOf(files), files: { ...files }, since: "" }, "presets") ?? [];
}

/** Keeps the bytes of a preset, to load them from there and to tell later what has changed. */
export const keepPreset = (tree: Tree) => keepCopy(tree, "presets");

/** Path -> sha256 of each file. */
export function sumsOf({ files }: Tree): Record<string, string> {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, sha256Of(bytes)]));
}

/** Of the sums, so that the lock file alone tells where the copy is. */
export function hashOf(files: Readonly<Record<string, string>>): string {
  const rows = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Of(JSON.stringify(rows));
}

function summary(changes: readonly TrustChange[]): string {
  const named = changes.slice(0, NAMED).map(({ path, how }) => `${path} (${how})`);
  const more = changes.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
