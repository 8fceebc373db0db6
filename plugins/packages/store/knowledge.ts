import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem } from "@scorel/trust/contract";

/** What the store has to know of presets, trust and extensions. Given by the loader, which knows all of them. */
export interface PresetKnowledge {
  /** Names of the presets that come with Scorel. */
  shipped(): readonly string[];
  /** What a preset's text extends, each with `file:line`. Throws CONFIG_TOML. */
  extendedBy(file: string, text: string): { preset: string; place: string; isPath: boolean }[];
  /** The file of a preset of this name that only this user, or the project here, has. */
  ownFile(preset: string): string | undefined;
  /** What the files of a preset would do, but for its code. */
  items(tree: Tree, name: string): Promise<TrustItem[]>;
  /** What the text of an extension shows of it, without running it. */
  facts(source: string): Promise<CodeFacts>;
}

/** What the text of an extension shows of it. */
export interface CodeFacts {
  /** Hooks that it taps. */
  hooks: readonly string[];
  contributes: readonly string[];
  /** It asks to run in the host. */
  host: boolean;
  /** Modules that it imports by name. */
  imports: readonly string[];
}
