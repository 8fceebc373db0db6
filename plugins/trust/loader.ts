/** What the loader in presets/ and this plugin exchange. Not for other plugins. */

import type { AnyPlugin, Awaitable } from "@scorel/kernel";
import type { KeyPath, Table } from "@scorel/kit/values/table";
import type { NestedSkills } from "@scorel/workspace/contract";
import type { TrustItem } from "./contract.ts";

/** The `.scorel` folder of a project, and whether anything in it may be read. */
export interface Project {
  /** The path to show. The folder need not exist: other folders, such as `.claude/skills`, need trust as well. */
  dir: string;
  trusted: boolean;
  /** The folder to read from: the private copy of the trusted files. Default: `dir`. */
  files?: string;
  /** The folder to read trusted files from in place of the project's root. */
  root?: string;
  /** Trusted skills in folders between the project's and the working directory; absent when there are none. */
  nested?: NestedSkills;
  /** A message for the user about its trust. */
  notice?: string;
  /** Whether a file in it cannot be read or trusted; the notice says which. */
  isUnreadable?: boolean;
}

/** The facts that decide about trust in one run of the command. */
export interface TrustRun {
  /** The canonical path of the directory that the command was started in. */
  cwd: string;
  /** `--trust`: the project of `cwd`, and presets named by path, may be read in this run. */
  trust: boolean;
  /**
   * With `--trust`: the hash of each folder when this run first read it. Later changes are not covered: the user did
   * not trust them.
   */
  readonly granted: Map<string, string>;
}

/** A preset or config.toml, before it is trusted. */
export interface LayerFile {
  path: string;
  /** The path to show. */
  shown: string;
  bytes: Buffer;
  /** Whose layer it will be; this decides which of its settings apply. */
  kind: "user" | "project";
}

/**
 * The risk of a key that a project sets, given by the plugin that owns the key with `.meta({ trust: { kind, could } })` in its
 * schema: `redirect` sends words or keys elsewhere, `weakens` changes a safety setting of the user, `code` names a program.
 */
export interface TrustMark {
  kind: "redirect" | "weakens" | "code";
  could: string;
}

/** A preset or config.toml that was parsed; none of its settings apply yet. */
export interface ParsedLayer {
  /** The whole file as a table. */
  table: Table;
  /** The tables for plugins and extensions in it. The schema is missing for extensions, whose code is not run. */
  settings: readonly { id: string; table: unknown; schema: AnyPlugin["config"] }[];
  /** `file:line` of a key. */
  placeOf(path: KeyPath): string;
}

/** The merged layers of the user without any project. */
export interface UserLayers {
  /** Ids of the plugins that the user has chosen -> `file:line`. */
  use: ReadonlyMap<string, string>;
  /** Ids that the user has switched off -> `file:line`. */
  without: ReadonlyMap<string, string>;
  /** One table per plugin id. */
  tables: Table;
  /** `file:line` of a value. */
  placeOf(path: KeyPath): string;
}

/** Ids of the user's own extensions, and of those of the user's presets -> path. */
export type OwnExtensions = ReadonlyMap<string, string>;

/** What this plugin needs to know about presets and config.toml. The loader provides it. */
export interface LayerKnowledge {
  /** Parses a file. Throws CONFIG_TOML. */
  parse(file: LayerFile): Promise<ParsedLayer>;
  /**
   * The user's layers, which a project's layers are compared with; undefined if the user's preset is refused as
   * changed.
   */
  ofUser(): Promise<UserLayers | undefined>;
  /** The presets that a file builds on by path; empty when the file is not valid TOML. */
  builtOn(path: string, bytes: Buffer): string[];
  /** What people read about an extension before they accept it. The entry file comes first; no file is run. */
  review(id: string, files: readonly { path: string; source: string }[], of: "user" | "other"): Promise<TrustItem[]>;
}

/**
 * Decides whether a preset may be read that is neither in ~/.scorel, nor shipped with Scorel, nor part of a project.
 */
export interface Admission {
  /**
   * The folder to read the preset in `file` from: a private copy of the bytes that the user trusts. It stays the same for as
   * long as the process runs. `file` is canonical. Throws CONFIG_PRESET_UNCONFIRMED, TRUST_FILE and TRUST_TREE.
   */
  admit(file: string): Awaitable<string>;
  /** Messages for the user about the presets that were admitted. */
  readonly notices: readonly string[];
}
