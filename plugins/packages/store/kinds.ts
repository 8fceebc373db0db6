import type { Copies } from "@scorel/kit/files/copy";
import { packagesDir, presetsDir } from "@scorel/kit/files/home";
import { errors } from "../errors.ts";

/**
 * A kind of package, and where it is installed. Both kinds are fetched, reviewed, locked and removed by the same code.
 */
export interface PackageKind {
  /** The word for a package of this kind in messages. */
  noun: "preset" | "extension";
  /** The noun of its commands: `scorel preset add`. */
  command: "preset" | "plugin";
  /** The folder that holds the installed packages and the lock file. */
  dir(): string;
  lockName: string;
  /** The table of the lock file. */
  table: "presets" | "extensions";
  /** Where private copies of the installed bytes are kept. */
  copies: Copies;
  errors: {
    lock: typeof errors.PRESET_LOCK;
    changed: typeof errors.PRESET_CHANGED;
    tree: typeof errors.PRESET_TREE;
    none: typeof errors.PRESET_NONE;
    taken: typeof errors.PRESET_TAKEN;
  };
}

export const presets: PackageKind = {
  noun: "preset",
  command: "preset",
  dir: presetsDir,
  lockName: "presets.lock.json",
  table: "presets",
  copies: "presets",
  errors: {
    lock: errors.PRESET_LOCK,
    changed: errors.PRESET_CHANGED,
    tree: errors.PRESET_TREE,
    none: errors.PRESET_NONE,
    taken: errors.PRESET_TAKEN,
  },
};

export const extensions: PackageKind = {
  noun: "extension",
  command: "plugin",
  dir: packagesDir,
  lockName: "packages.lock.json",
  table: "extensions",
  copies: "packages",
  errors: {
    lock: errors.PACKAGE_LOCK,
    changed: errors.PACKAGE_CHANGED,
    tree: errors.PACKAGE_TREE,
    none: errors.PACKAGE_NONE,
    taken: errors.PACKAGE_TAKEN,
  },
};
