import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { changesIn, type FileChange } from "@scorel/kit/files/changes";
import { keepCopy } from "@scorel/kit/files/copy";
import { sha256Of } from "@scorel/kit/files/hash";
import { readTree, type Tree } from "@scorel/kit/files/tree";
import type { LockEntry } from "../contract.ts";
import { errors } from "../errors.ts";

/** Everything in the folder of a preset, read once; nothing when there is no such folder. Throws PRESET_TREE. */
export function presetTree(folder: string): Tree {
  if (!existsSync(folder)) return { root: folder, files: new Map(), hash: hashOf({}) };
  const tree = readTree(folder, [folder], {
    refuse: (path, reason, options) => errors.PRESET_TREE({ path, reason }, options),
  });
  return { ...tree, hash: hashOf(sumsOf(tree)) };
}

/** What differs from what was installed, with the lines of small texts. */
export function changesTo(tree: Tree, { files }: LockEntry): FileChange[] {
  return changesIn(tree, { hash: hashOf(files), files }, "presets") ?? [];
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
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}
