import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { changesIn, type FileChange } from "@scorel/kit/files/changes";
import { keepCopy } from "@scorel/kit/files/copy";
import { sha256Of } from "@scorel/kit/files/hash";
import { readTree, type Tree } from "@scorel/kit/files/tree";
import type { LockEntry } from "../contract.ts";
import type { PackageKind } from "./kinds.ts";

/** Reads a package's folder once; a missing folder has no files. Throws PRESET_TREE or PACKAGE_TREE. */
export function packageTree(kind: PackageKind, folder: string): Tree {
  if (!existsSync(folder)) return { root: folder, files: new Map(), hash: hashOf({}) };
  const tree = readTree(folder, [folder], {
    refuse: (path, reason, options) => kind.errors.tree({ path, reason }, options),
  });
  return { ...tree, hash: hashOf(sumsOf(tree)) };
}

/** Differences from what was installed, with line diffs of small text files. */
export function changesTo({ copies }: PackageKind, tree: Tree, { files }: LockEntry): FileChange[] {
  return changesIn(tree, { hash: hashOf(files), files }, copies) ?? [];
}

/** Keeps a copy of a package's bytes, to load it from there and to show later what has changed. */
export const keepPackage = ({ copies }: PackageKind, tree: Tree) => keepCopy(tree, copies);

/** Path -> sha256 of each file. */
export function sumsOf({ files }: Tree): Record<string, string> {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, sha256Of(bytes)]));
}

/** Digest of all hashes, so that the location of the copy follows from the lock file alone. */
export function hashOf(files: Readonly<Record<string, string>>): string {
  const rows = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(rows)).digest("hex");
}
