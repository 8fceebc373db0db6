import type { PresetStore } from "@scorel/packages/contract";
import type { Asked } from "../composition/asked.ts";

/** The service `presetStore`; what does its work is loaded by the first call. */
export function createLazyPresetStore(asked: Asked): PresetStore {
  const work = async () => (await import("./store.ts")).createPresetStore(asked);
  return {
    list: async () => (await work()).list(),
    taken: async (name) => (await work()).taken(name),
    stage: async () => (await work()).stage(),
    diff: async (name) => (await work()).diff(name),
    remove: async (name) => (await work()).remove(name),
  };
}
