import { join } from "node:path";
import type { FileChange } from "@scorel/kit/files/changes";
import { canonical } from "@scorel/kit/files/paths";
import type { LockEntry } from "../contract.ts";
import type { PackageKind } from "./kinds.ts";
import { entryOf } from "./lock.ts";
import { readLock } from "./steps.ts";
import { changesTo, keepPackage, packageTree } from "./tree.ts";

/** The most changed files that an error names. */
const NAMED = 5;

/**
 * The folder to read an installed package from: a private copy of the bytes whose hashes matched the lock file. Undefined for a
 * folder that the user put there by hand. Throws PRESET_CHANGED and PRESET_LOCK, or PACKAGE_CHANGED and PACKAGE_LOCK.
 */
export async function verifiedPackage(kind: PackageKind, name: string): Promise<string | undefined> {
  for (let entry = entryOf(await readLock(kind), name); entry; ) {
    try {
      return verified(kind, name, entry);
    } catch (thrown) {
      // The package may have been updated after the lock file was read.
      const now = entryOf(await readLock(kind), name);
      if (JSON.stringify(now) === JSON.stringify(entry)) throw thrown;
      entry = now;
    }
  }
  return undefined;
}

function verified(kind: PackageKind, name: string, entry: LockEntry): string {
  const tree = packageTree(kind, join(canonical(kind.dir()), name));
  const changed = changesTo(kind, tree, entry);
  if (changed.length > 0) throw kind.errors.changed({ name, files: summary(changed) });
  return keepPackage(kind, tree);
}

function summary(changes: readonly FileChange[]): string {
  const named = changes.slice(0, NAMED).map(({ path, how }) => `${path} (${how})`);
  const more = changes.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
