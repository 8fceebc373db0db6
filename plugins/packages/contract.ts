import type { Awaitable } from "@scorel/kernel";
import type { TrustChange, TrustItem } from "@scorel/trust/contract";

/** Where a preset was installed from. */
export interface PresetSource {
  /** A folder or a git checkout on disk, a tarball, or a package of the user's npm registry. */
  kind: "path" | "tarball" | "git" | "npm";
  /** The absolute path, or `npm:name@version` as it was asked for. */
  spec: string;
  /** What its package.json says; absent without one. */
  version?: string;
  /** HEAD of a git checkout, as 40 or 64 hex digits. */
  commit?: string;
  /** Of the tarball, as `sha512-<base64>`. */
  integrity?: string;
}

/** An npm package in the preset's node_modules. */
export interface LockedPackage {
  name: string;
  version: string;
  /** As npm states it: `sha512-<base64>`. */
  integrity: string;
}

/** What is known of an installed preset. */
export interface LockEntry {
  source: PresetSource;
  /** Path with `/`, relative to the preset's folder -> sha256 of the bytes, as hex digits. */
  files: Readonly<Record<string, string>>;
  /** The whole tree of dependencies, by name. */
  packages: readonly LockedPackage[];
  /** ISO 8601. */
  installedAt: string;
}

/** `presets.lock.json`, in the folder of the user's presets. */
export interface PresetLock {
  version: 1;
  /** By the name of the preset's folder. */
  presets: Record<string, LockEntry>;
}

/** An installed preset and how its files stand to what was installed. */
export interface InstalledPreset extends LockEntry {
  name: string;
  /** `changed`: some file differs, was added or is gone, so the preset is refused. */
  state: "installed" | "changed";
}

/** A preset that lies ready to be installed, read once: accepting it installs these bytes and no others. */
export interface PresetReview {
  /** What would run and what it could do. */
  items: readonly TrustItem[];
  /** Against the installed one of this name; absent when there is none. */
  changes?: readonly TrustChange[];
  /** The small texts in it, for looking at. */
  texts(): { path: string; text: string }[];
  /** Puts it in its place in one step, also for whoever is interrupted. Throws PRESET_TAKEN when the name was taken meanwhile. */
  accept(): Promise<void>;
}

/** What a staged preset is to become. */
export interface Candidate extends Pick<LockEntry, "source" | "packages"> {
  name: string;
  /** Takes the place of an installed one; otherwise the name has to be free. */
  isUpdate: boolean;
}

/** A folder to put a preset together in. */
export interface Staging {
  /** Empty, private, and on the same disk as what is installed. */
  folder: string;
  /** Reads the preset in a folder below `folder`. Throws PRESET_TREE, PRESET_NONE and PRESET_TAKEN. */
  review(path: string, as: Candidate): Promise<PresetReview>;
  /** Removes what was not installed; may be called again. */
  discard(): void;
}

/** The installed presets; given to the host kernel by the loader. Its calls throw PRESET errors. */
export interface PresetStore {
  list(): Promise<InstalledPreset[]>;
  /** Why a preset cannot be installed under this name; undefined when it can. */
  taken(name: string): Awaitable<string | undefined>;
  stage(): Promise<Staging>;
  /** What differs from what was installed; undefined when no preset of this name is. */
  diff(name: string): Promise<TrustChange[] | undefined>;
  /** Removes an installed preset; false when there is none. */
  remove(name: string): Promise<boolean>;
}

/** How much an archive may hold; without it, 10,000 entries, 64 MiB in a file and 256 MiB in all. */
export interface Limits {
  entries: number;
  fileBytes: number;
  allBytes: number;
}

export type ArchiveKind = "zip" | "tar" | "tar.gz";

/** How an archive is unpacked. */
export interface Unpacking {
  limits?: Limits;
  /** What errors call it. Default: its path. */
  name?: string;
  /** What it has to be. Default: what its bytes say. */
  kind?: ArchiveKind;
}

/** Archives of others, taken apart without trusting them. */
export interface Archives {
  /**
   * Unpacks a .zip, .tar, .tar.gz or .tgz into an empty folder; answers its own sha512 as npm writes it. Only plain files and
   * folders come out: links, devices and whatever would lie elsewhere refuse the whole archive. Throws ARCHIVE errors; what
   * was written until then is the caller's to remove.
   */
  unpack(file: string, into: string, how?: Unpacking): Promise<string>;
  /** Copies a folder into an empty one by the same rules; what git and npm keep in it is left. Throws ARCHIVE and PACKAGES errors. */
  copy(folder: string, into: string): Promise<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    archives: Archives;
    presetStore: PresetStore;
  }
}
