import { existsSync } from "node:fs";
import { join } from "node:path";
import { presetFile, presetsDir } from "@scorel/kit/files/home";
import { assertComplete } from "./completeness.ts";
import { presets } from "./kinds.ts";
import type { PresetKnowledge } from "./knowledge.ts";
import { npmItem } from "./npm-item.ts";
import type { PackageRules } from "./rules.ts";

/** Rules for presets: folders with a preset.toml that extend only what all of their users have. */
export function presetRules(known: PresetKnowledge): PackageRules {
  return {
    kind: presets,
    version: known.version,
    reserved: (name) => (known.shipped().includes(name) ? "a preset of Scorel has this name" : undefined),
    occupied: (name) => {
      const file = join(presetsDir(), `${name}.toml`);
      return existsSync(file) ? `${file} has it` : undefined;
    },
    nameIn: () => undefined,
    check({ tree, name, spec, lock }) {
      if (!tree.files.has(presetFile)) throw presets.errors.none({ path: spec });
      assertComplete({ name, tree, lock, known });
    },
    // Not refused, because a preset may be part of others that add what it lacks, or be installed before its extensions.
    doubts: ({ tree }) => known.problems(tree.root),
    items: async ({ tree, name, packages }) => [...(await known.items(tree, name)), ...npmItem(packages)],
  };
}
