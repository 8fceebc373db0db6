import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem } from "@scorel/trust/contract";

/** What the store needs to know about presets, trust and extensions. The loader provides it. */
export interface PresetKnowledge extends Pick<ExtensionKnowledge, "version" | "review"> {
  /** Names of the presets that come with Scorel. */
  shipped(): readonly string[];
  /** The presets that a preset's text extends, each with `file:line`. Throws CONFIG_TOML. */
  extendedBy(file: string, text: string): { preset: string; place: string; isPath: boolean }[];
  /** The file of a preset of this name that belongs to this user or to the current project. */
  ownFile(preset: string): string | undefined;
  /** What the files of a preset would do, apart from its code. */
  items(tree: Tree, name: string): Promise<TrustItem[]>;
}

/** What the store needs to know about extensions. The loader provides it. */
export interface ExtensionKnowledge {
  /** The version of Scorel. */
  version: string;
  /** Why no extension may have this id. */
  reserved(id: string): Promise<string | undefined>;
  /** The id that the plugin in the source of an extension has; undefined if it is computed. */
  idIn(source: string): Promise<string | undefined>;
  /** What people read about an extension before they accept it. The entry file comes first; none is run. */
  review(id: string, files: readonly { path: string; source: string }[], of: "user" | "other"): Promise<TrustItem[]>;
  /** What `scorel plugin check` would find wrong with it, without running it. */
  problems(entry: EntrySource): Promise<readonly string[]>;
}

/** The entry file of an extension. */
export interface EntrySource {
  id: string;
  file: string;
  source: string;
  /** The folder of the package, which it may not import files outside of. */
  root: string;
}
