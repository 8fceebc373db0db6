import { join } from "node:path";
import type { FileChange } from "@scorel/kit/files/changes";
import { presetsDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import type { LockEntry } from "../contract.ts";
import { errors } from "../errors.ts";
import { entryOf } from "./lock.ts";
import { readLock } from "./steps.ts";
import { changesTo, keepPreset, presetTree } from "./tree.ts";

/** Number of changed files that an error names. */
const NAMED = 5;

/**
 * The folder to read an installed preset from: a private copy of the bytes whose hashes matched the lock file. Undefined for a
 * folder that the user put there by hand. Throws PRESET_CHANGED and PRESET_LOCK.
 */
export async function verifiedPreset(name: string): Promise<string | undefined> {
  for (let entry = entryOf(await readLock(), name); entry; ) {
    try {
      return verified(name, entry);
    } catch (thrown) {
      // The preset may have been updated after the lock file was read.
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

function summary(changes: readonly FileChange[]): string {
  const named = changes.slice(0, NAMED).map(({ path, how }) => `${path} (${how})`);
  const more = changes.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
