/** What a fetch may reach, and how. */
export interface Reach {
  /** Hosts, or `host:port`, that may be asked over http and lie in the user's own network. */
  allowHosts: readonly string[];
  /** Where proxies are named. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

/** Skills that were brought from an archive, a folder or a single file, and are kept as they were. */
export interface StoredSkills {
  /** sha256 of the address. */
  id: string;
  /** What `scorel skill update` and `remove` call it. */
  name: string;
  /** By `scorel skill add`; otherwise it was fetched because the configuration names it. */
  added: boolean;
  /** The address or path that it came from, without a query. */
  from: string;
  /** `from` leads there again; otherwise the address has a query, which is not kept. */
  isWhole: boolean;
  /** Of the bytes that were fetched; of a folder, the same as `tree`. */
  sha256: string;
  /** sha256 of the list of all its files with theirs. */
  tree: string;
  files: number;
  bytes: number;
  /** Its SKILL.md files, by their paths below `folder`, with `/`. */
  skills: readonly { path: string; sha256: string }[];
  /** Of an archive on this machine: what shows that it was changed since. */
  mark?: string;
  /** ISO 8601. */
  fetchedAt: string;
  /** When it was first added; an update keeps it. Of two skills with one name, the one added earlier counts. ISO 8601. */
  addedAt: string;
}

/** The same, with where it can be read. */
export interface PlacedSkills extends StoredSkills {
  /** The real folder that holds its files. */
  folder: string;
  /** The archive on this machine that it came from is another one by now, or gone. */
  isStale?: true;
}

/** One of the files that lie ready. */
export interface StagedFile {
  path: string;
  bytes: number;
  isExecutable: boolean;
}

/** A file that differs from what is installed. */
export interface SkillFileChange {
  path: string;
  how: "added" | "changed" | "removed";
  /** Lines that went (`-`) and came (`+`), of a small text. */
  diff?: string;
}

/** Skills that lie ready, and are nobody's until they are installed. */
export interface StagedSkills {
  from: string;
  /** What it would be called. */
  label: string;
  /** Real. */
  folder: string;
  sha256: string;
  files: readonly StagedFile[];
  /** What they would take the place of. */
  before?: PlacedSkills;
  /** Against it, and whether that is still as it was installed. */
  changes: readonly SkillFileChange[];
  isIntact: boolean;
  /** Plugins that a marketplace in it lists and that lie elsewhere: they are not fetched. */
  elsewhere: readonly { name: string; from: string }[];
  /** The small texts, for looking at. */
  texts(): { path: string; text: string }[];
  /**
   * Puts them in place in one step, also for whoever is interrupted. Throws SKILLSTORE_TAKEN when the name is another's, or
   * somebody else has changed the same meanwhile.
   */
  install(as: { name: string; added: boolean }): Promise<PlacedSkills>;
  /** Removes what was not installed; may be called again. */
  discard(): void;
}

/** Skills from archives, kept below `~/.scorel`. Its calls throw SKILLSTORE and ARCHIVE errors. */
export interface SkillStore {
  /** Everything there is, in the order in which it was added. Reads nothing but the lock file, and that only when it has changed. */
  list(): Promise<readonly PlacedSkills[]>;
  /** What is kept of an address or path; relative ones start at `base`. */
  find(address: string, base: string): Promise<PlacedSkills | undefined>;
  /**
   * What is kept of an address that the configuration names, fetched when it never was. One that fails is not tried again by
   * this process for some minutes.
   */
  root(address: string, base: string, reach: Reach): Promise<PlacedSkills>;
  /**
   * Brings skills from an address, a folder or a file, to be looked at. `instead` is the id of what they would take the place
   * of; by default, of what is there of the same address.
   */
  stage(address: string, base: string, reach: Reach, instead?: string): Promise<StagedSkills>;
  /** Removes what is kept of an address; false when there is nothing. */
  remove(id: string): Promise<boolean>;
}

declare module "@scorel/kernel" {
  interface Services {
    skillStore: SkillStore;
  }
}
