import type { Awaitable } from "@scorel/kernel";
import type { TrustChange, TrustItem } from "@scorel/trust/contract";

/** Where a preset or an extension was installed from. */
export interface PackageSource {
  /** A folder or a git checkout on disk, a tarball, a package of the user's npm registry, or a repository that git fetches. */
  kind: "path" | "tarball" | "git" | "npm" | "git+https" | "git+ssh";
  /** The absolute path; for `npm:name@version` and repositories that git fetches, the text that was given. */
  spec: string;
  /** The version in its package.json; absent without one. */
  version?: string;
  /** The installed commit of a repository, as 40 or 64 hex digits. */
  commit?: string;
  /** Digest of the tarball, as `sha512-<base64>`. */
  integrity?: string;
}

/** An npm package in the node_modules of an installed package. */
export interface LockedPackage {
  name: string;
  version: string;
  /** Digest as npm writes it: `sha512-<base64>`. */
  integrity: string;
}

/** The record of an installed package. */
export interface LockEntry {
  source: PackageSource;
  /** Path with `/`, relative to the package's folder -> sha256 of the bytes, as hex digits. */
  files: Readonly<Record<string, string>>;
  /** The whole tree of dependencies, by name. */
  packages: readonly LockedPackage[];
  /** ISO 8601. */
  installedAt: string;
}

/** The entries of a lock file, by the name of the package's folder. */
export type PackageLock = Record<string, LockEntry>;

/** An installed preset or extension, and whether its files are still those that were installed. */
export interface InstalledPackage extends LockEntry {
  name: string;
  /** `changed`: a file differs, was added or is missing, so the package is not loaded. */
  state: "installed" | "changed";
}

/** A package that is ready to be installed. It is read once: accepting it installs exactly the bytes that were read. */
export interface PackageReview {
  /** The items that would run, with what each could do. */
  items: readonly TrustItem[];
  /** Why it might not work, such as a setting that does not exist. */
  doubts: readonly string[];
  /** Differences from the installed package of this name; absent when none is installed. */
  changes?: readonly TrustChange[];
  /** The package's small text files, to be shown. */
  texts(): { path: string; text: string }[];
  /**
   * Installs the package in one step, which is finished later if the process is killed. Throws PRESET_TAKEN or
   * PACKAGE_TAKEN when the name was taken meanwhile.
   */
  accept(): Promise<void>;
}

/** How a staged package is to be installed. */
export interface Candidate extends Pick<LockEntry, "source" | "packages"> {
  name: string;
  /** When the package that it replaces was installed (`installedAt`). Without it the name must be free. */
  replaces?: string | undefined;
}

/** A folder in which a package is assembled. */
export interface Staging {
  /** Path of an empty, private folder on the same disk as the installed packages. */
  folder: string;
  /** The name that the package in a folder declares in its code; undefined when it declares none. */
  nameIn(path: string): Promise<string | undefined>;
  /** Reads the package in a folder below `folder`. Throws PRESET or PACKAGE errors. */
  review(path: string, as: Candidate): Promise<PackageReview>;
  /** Removes everything that was not installed. May be called repeatedly. */
  discard(): void;
}

/**
 * The installed presets (service `presetStore`) or extensions (service `extensionStore`). The loader gives these services to the
 * host kernel. Their methods throw PRESET and PACKAGE errors.
 */
export interface PackageStore {
  list(): Promise<InstalledPackage[]>;
  /** Why no package can be installed under this name; undefined when one can, or one of this name is installed. */
  taken(name: string): Awaitable<string | undefined>;
  stage(): Promise<Staging>;
  /** Differences between the files and what was installed; undefined when no package of this name is installed. */
  diff(name: string): Promise<TrustChange[] | undefined>;
  /** Removes an installed package; false when there is none. */
  remove(name: string): Promise<boolean>;
}

/** Limits of an archive. Default: 10,000 entries, 64 MiB in a file and 256 MiB in all. */
export interface Limits {
  entries: number;
  fileBytes: number;
  allBytes: number;
}

export type ArchiveKind = "zip" | "tar" | "tar.gz";

/** How an archive is unpacked. */
export interface Unpacking {
  limits?: Limits;
  /** The archive's name in errors. Default: its path. */
  name?: string;
  /** The required format. Default: detected from the first bytes. */
  kind?: ArchiveKind;
}

/** Unpacks archives from untrusted sources. */
export interface Archives {
  /**
   * Unpacks a .zip, .tar, .tar.gz or .tgz into an empty folder; returns the archive's sha512 as npm writes it. Only
   * plain files and folders are accepted: for a link, a device or a path outside the folder, the whole archive is
   * refused. Throws ARCHIVE errors; the caller removes what was written by then.
   */
  unpack(file: string, into: string, how?: Unpacking): Promise<string>;
  /**
   * Copies a folder into an empty one by the same rules, without `.git` and `node_modules`. Throws ARCHIVE and PACKAGES
   * errors.
   */
  copy(folder: string, into: string): Promise<void>;
}

declare module "@scorel/kernel" {
  interface Services {
    archives: Archives;
    presetStore: PackageStore;
    extensionStore: PackageStore;
  }
}
