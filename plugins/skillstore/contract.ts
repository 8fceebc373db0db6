/** Which hosts a fetch may contact, and how. */
export interface Reach {
  /** Hosts, or `host:port`, that may be contacted over http and in the user's own network. */
  allowHosts: readonly string[];
  /** The environment with proxy settings; by default that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

/** Skills that were installed from an archive, a folder or a single file. Their files are kept unchanged. */
export interface StoredSkills {
  /** The sha256 of the address. */
  id: string;
  /** The name used by `scorel skill update` and `remove`. */
  name: string;
  /** Whether it was added by `scorel skill add`; otherwise the configuration names it. */
  added: boolean;
  /** Its address or path, without a query. */
  from: string;
  /** Whether `from` is the complete address; queries are not stored. */
  isWhole: boolean;
  /** The sha256 of the fetched bytes; for a folder, the same as `tree`. */
  sha256: string;
  /** The sha256 of the list of its files and their hashes. */
  tree: string;
  files: number;
  bytes: number;
  /** Its SKILL.md files, with paths relative to `folder`. */
  skills: readonly { path: string; sha256: string }[];
  /** For a local archive: metadata that shows whether it changed later. */
  mark?: string;
  /** When it was last fetched, as ISO 8601. */
  fetchedAt: string;
  /** When it was first added (ISO 8601); updates keep it. Of two skills with the same name, the one added earlier wins. */
  addedAt: string;
}

/** Installed skills with their folder. */
export interface PlacedSkills extends StoredSkills {
  /** The real folder with the files. */
  folder: string;
  /** Set if the local archive has changed or is gone. */
  isStale?: true;
}

/** A staged file. */
export interface StagedFile {
  path: string;
  bytes: number;
  isExecutable: boolean;
}

/** A file that differs from the installed version. */
export interface SkillFileChange {
  path: string;
  how: "added" | "changed" | "removed";
  /** Removed (`-`) and added (`+`) lines of a small text. */
  diff?: string;
}

/** Fetched skills that are not installed yet. */
export interface StagedSkills {
  from: string;
  /** The default name. */
  label: string;
  /** A real path. */
  folder: string;
  sha256: string;
  files: readonly StagedFile[];
  /** The installed version that they would replace. */
  before?: PlacedSkills;
  /** The differences from `before`; `isIntact` says whether that is still as it was installed. */
  changes: readonly SkillFileChange[];
  isIntact: boolean;
  /** Plugins that a marketplace lists but that are elsewhere; they are not fetched. */
  elsewhere: readonly { name: string; from: string }[];
  /** The small texts, for review. */
  texts(): { path: string; text: string }[];
  /**
   * Installs the skills atomically, even if interrupted. Throws SKILLSTORE_TAKEN when the name is in use, or the entry was
   * changed meanwhile.
   */
  install(as: { name: string; added: boolean }): Promise<PlacedSkills>;
  /** Removes what was not installed; may be called repeatedly. */
  discard(): void;
}

/** Skills from archives, stored below `~/.scorel`. Calls throw SKILLSTORE and ARCHIVE errors. */
export interface SkillStore {
  /** All installed skills, in the order in which they were added. Reads only the lock file, if it changed. */
  list(): Promise<readonly PlacedSkills[]>;
  /** The skills installed from an address or path; relative paths start at `base`. */
  find(address: string, base: string): Promise<PlacedSkills | undefined>;
  /**
   * The skills of a configured address, fetched if they never were. After a failure, this process waits some minutes before it
   * tries again.
   */
  root(address: string, base: string, reach: Reach): Promise<PlacedSkills>;
  /** Fetches skills for review. `instead` is the id of the entry to replace; by default the one with the same address. */
  stage(address: string, base: string, reach: Reach, instead?: string): Promise<StagedSkills>;
  /** Removes an entry; returns false if there is none. */
  remove(id: string): Promise<boolean>;
}

declare module "@scorel/kernel" {
  interface Services {
    skillStore: SkillStore;
  }
}
