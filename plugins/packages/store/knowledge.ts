import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem } from "@scorel/trust/contract";

/** What the store needs to know about presets, trust and extensions. The loader provides it. */
export interface PresetKnowledge extends Pick<ExtensionKnowledge, "version" | "facts"> {
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
  /** What the text of an extension tells about it, without running it. */
  facts(source: string): Promise<CodeFacts>;
  /** What `scorel plugin check` would find wrong with it, without running it. */
  problems(entry: EntrySource): Promise<readonly string[]>;
}

/** The entry file of an extension. */
export interface EntrySource {
  id: string;
  file: string;
  source: string;
}

/** What the text of an extension tells about it. */
export interface CodeFacts {
  /** The id of the exported plugin. Absent if it is computed. */
  id?: string;
  /** The hooks that it has layers on. */
  hooks: readonly string[];
  contributes: readonly string[];
  /** Services that it provides. */
  provides: readonly string[];
  /** What it stands in the place of. */
  replaces: readonly string[];
  /** True when it has host scope. */
  host: boolean;
  /** Modules that it imports by name. */
  imports: readonly string[];
}
