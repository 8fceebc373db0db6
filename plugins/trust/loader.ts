/** What the loader in presets/ and this plugin tell each other; nothing of it is for other plugins. */

import type { Awaitable } from "@scorel/kernel";
import type { NestedSkills } from "@scorel/workspace/contract";
import type { TrustItem } from "./contract.ts";

/** The `.scorel` folder of a project, and whether anything in it may be read. */
export interface Project {
  /** As people see it; it need not exist when only other folders are there to be trusted. */
  dir: string;
  trusted: boolean;
  /** Where its bytes are read: the private copy of what is trusted. Default: `dir` itself. */
  files?: string;
  /** The folder that stands for the project's root when trusted files are read. */
  root?: string;
  /** Skills of folders that lie nearer to the working directory, which are trusted on their own; absent when none are. */
  nested?: NestedSkills;
  /** What the user is told about it. */
  notice?: string;
  /** Something in it cannot be read or vouched for, as the notice says. */
  isUnreadable?: boolean;
}

/** One run of the command, as far as trust goes. */
export interface TrustRun {
  /** Where it was started. Canonical. */
  cwd: string;
  /** `--trust`: the project of `cwd`, and presets named by path, may be read in this run. */
  trust: boolean;
}

/** A preset or config.toml, before it is trusted. */
export interface LayerFile {
  path: string;
  /** As people see it. */
  shown: string;
  bytes: Buffer;
  /** Whose it will be, and so what of it counts. */
  kind: "user" | "project";
}

/** What trust has to know of presets and configuration. Given by the loader, which reads them. */
export interface LayerKnowledge {
  /** What each of these files would do, one list per file; nothing of them is run. */
  items(files: readonly LayerFile[]): Promise<TrustItem[][]>;
  /** The files that it builds on by their path; none for what is no TOML. */
  builtOn(path: string, bytes: Buffer): string[];
}

/** Decides which presets outside of ~/.scorel, of Scorel and of projects may be read, and where. */
export interface Admission {
  /**
   * The folder to read a preset from that is named by its file: a private copy of the bytes that the user trusts, the same one
   * for as long as the process runs. `file` is canonical. Throws CONFIG_PRESET_UNCONFIRMED, TRUST_FILE and TRUST_TREE.
   */
  admit(file: string): Awaitable<string>;
  /** What the user is told about those that were admitted. */
  readonly notices: readonly string[];
}
