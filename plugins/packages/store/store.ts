import * as fs from "node:fs";
import { codeOf } from "@scorel/kernel";
import type { InstalledPreset, LockEntry, PresetStore } from "../contract.ts";
import type { PresetKnowledge } from "./knowledge.ts";
import { entryOf } from "./lock.ts";
import { clearStaging, makeStaging } from "./staging.ts";
import { carryOut, folderOf, readLock, reasonAgainst } from "./steps.ts";
import { changesTo, hashOf, presetTree } from "./tree.ts";

export type { PresetKnowledge } from "./knowledge.ts";

/** The installed presets, for the commands of this plugin. */
export function createPresetStore(known: PresetKnowledge): PresetStore {
  return {
    async list() {
      const { presets } = await readLock();
      return Object.entries(presets).map(([name, entry]) => ({ name, ...entry, state: stateOf(name, entry) }));
    },
    taken: (name) => reasonAgainst(name, known),
    async stage() {
      const folder = makeStaging();
      clearStaging();
      const review: Awaited<ReturnType<PresetStore["stage"]>>["review"] = async (path, as) =>
        (await import("./review.ts")).reviewPreset(known, { folder, path, ...as });
      return { folder, review, discard: () => fs.rmSync(folder, { recursive: true, force: true }) };
    },
    async diff(name) {
      const entry = entryOf(await readLock(), name);
      return entry && changesTo(presetTree(folderOf(name)), entry);
    },
    async remove(name) {
      if (!entryOf(await readLock(), name)) return false;
      return await carryOut(makeStaging(), { name });
    },
  };
}

function stateOf(name: string, entry: LockEntry): InstalledPreset["state"] {
  try {
    return presetTree(folderOf(name)).hash === hashOf(entry.files) ? "installed" : "changed";
  } catch (thrown) {
    if (codeOf(thrown) === "PRESET_TREE") return "changed";
    throw thrown;
  }
}
