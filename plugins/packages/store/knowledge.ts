import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem } from "@scorel/trust/contract";

/** What the store needs to know about presets, trust and extensions. The loader provides it. */
export interface PresetKnowledge extends Pick<ExtensionKnowledge, "version"> {
  /** Names of the presets that come with Scorel. */
  shipped(): readonly string[];
  /** The presets that a preset's text extends, each with `file:line`. Throws CONFIG_TOML. */
  extendedBy(file: string, text: string): { preset: string; place: string; isPath: boolean }[];
  /** The file of this user's or the current project's preset with this name; undefined if there is none. */
  ownFile(preset: string): string | undefined;
  /** The problems that `scorel preset check` would report about the preset in a folder. Runs no file. */
  problems(folder: string): Promise<readonly string[]>;
  /** Lists the contents of a preset without its npm packages, with the possible effect of each item. Runs no file. */
  items(tree: Tree, name: string): Promise<TrustItem[]>;
}

/** What the store needs to know about extensions. The loader provides it. */
export interface ExtensionKnowledge {
  /** The version of Scorel. */
  version: string;
  /** Why no extension may have this id; undefined if one may. */
  reserved(id: string): Promise<string | undefined>;
  /** The id of the plugin in an extension's source; undefined if the source computes it. */
  idIn(source: string): Promise<string | undefined>;
  /** What people read about an extension before they accept it. The entry file comes first; no file is run. */
  review(id: string, files: readonly { path: string; source: string }[], of: "user" | "other"): Promise<TrustItem[]>;
  /** The problems that `scorel plugin check` would report, found without running the extension. */
  problems(entry: EntrySource): Promise<readonly string[]>;
}

/** The entry file of an extension. */
export interface EntrySource {
  id: string;
  file: string;
  source: string;
  /** The folder of the package; the extension may not import files outside of it. */
  root: string;
}
