import { codeOf } from "@scorel/kernel";
import type { InstalledPackage, LockEntry, PackageStore, Staging } from "../contract.ts";
import { extensionRules } from "./extension-rules.ts";
import type { PackageKind } from "./kinds.ts";
import type { ExtensionKnowledge, PresetKnowledge } from "./knowledge.ts";
import { entryOf } from "./lock.ts";
import { presetRules } from "./preset-rules.ts";
import type { PackageRules } from "./rules.ts";
import { clearStaging, discardStaging, makeStaging } from "./staging.ts";
import { carryOut, folderOf, readLock } from "./steps.ts";
import { reasonAgainst } from "./taken.ts";
import { changesTo, hashOf, packageTree } from "./tree.ts";

export type { ExtensionKnowledge, PresetKnowledge } from "./knowledge.ts";

/** The installed presets, for the commands of this plugin. */
export const createPresetStore = (known: PresetKnowledge): PackageStore => createStore(presetRules(known));

/** The installed extensions, for the commands of this plugin. */
export const createExtensionStore = (known: ExtensionKnowledge): PackageStore => createStore(extensionRules(known));

function createStore(rules: PackageRules): PackageStore {
  const { kind } = rules;
  return {
    async list() {
      const lock = await readLock(kind);
      return Object.entries(lock).map(([name, entry]) => ({ name, ...entry, state: stateOf(kind, name, entry) }));
    },
    taken: async (name) => (await rules.reserved(name)) ?? reasonAgainst(name, rules),
    async stage() {
      const folder = makeStaging(kind);
      clearStaging(kind);
      const review: Staging["review"] = async (path, as) =>
        (await import("./review.ts")).reviewPackage(rules, { folder, path, ...as });
      return {
        folder,
        review,
        nameIn: async (path) => rules.nameIn(path),
        discard: () => discardStaging(folder),
      };
    },
    async diff(name) {
      const entry = entryOf(await readLock(kind), name);
      return entry && changesTo(kind, packageTree(kind, folderOf(kind, name)), entry);
    },
    async remove(name) {
      if (!entryOf(await readLock(kind), name)) return false;
      await carryOut(kind, makeStaging(kind), { name });
      return true;
    },
  };
}

function stateOf(kind: PackageKind, name: string, entry: LockEntry): InstalledPackage["state"] {
  try {
    return packageTree(kind, folderOf(kind, name)).hash === hashOf(entry.files) ? "installed" : "changed";
  } catch (thrown) {
    if (["PRESET_TREE", "PACKAGE_TREE"].includes(codeOf(thrown))) return "changed";
    throw thrown;
  }
}
