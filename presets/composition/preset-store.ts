import { projectDir, userDir } from "@scorel/kit/files/home";
import type { PresetStore } from "@scorel/packages/contract";
import type { PresetKnowledge } from "@scorel/packages/store";
import { extended, parseLayer } from "../layers/layer.ts";
import { isPath, namesIn, presetFileIn } from "../layers/preset-file.ts";
import { shippedPresets } from "../paths.ts";
import type { Asked } from "./asked.ts";
import { knowledgeOf } from "./trust.ts";

/** The service `presetStore`; the first call loads its code. */
export function createPresetStore(asked: Asked): PresetStore {
  const store = async () => (await import("@scorel/packages/store")).createPresetStore(presetKnowledge(asked));
  return {
    list: async () => (await store()).list(),
    taken: async (name) => (await store()).taken(name),
    stage: async () => (await store()).stage(),
    diff: async (name) => (await store()).diff(name),
    remove: async (name) => (await store()).remove(name),
  };
}

function presetKnowledge(asked: Asked): PresetKnowledge {
  return {
    shipped: () => namesIn(shippedPresets),
    extendedBy: (file, text) =>
      extended(parseLayer(text, file, "user")).map(([preset, place]) => ({ preset, place, isPath: isPath(preset) })),
    ownFile(preset) {
      const project = projectDir(asked.cwd);
      const folders = [userDir(), ...(project === undefined ? [] : [project])];
      return folders.map((dir) => presetFileIn(dir, preset)).find((file) => file !== undefined);
    },
    async items(tree, name) {
      const { itemsOfPreset } = await import("@scorel/trust/items");
      return await itemsOfPreset(tree, name, await knowledgeOf(asked));
    },
    facts: async (source) => (await import("@scorel/extensions/facts")).extensionFacts(source),
  };
}
