import { join } from "node:path";
import { presetFile, projectDir, userDir } from "@scorel/kit/files/home";
import type { PackageStore } from "@scorel/packages/contract";
import type { ExtensionKnowledge, PresetKnowledge } from "@scorel/packages/store";
import manifest from "../../package.json" with { type: "json" };
import { lookingOnly } from "../layers/admission.ts";
import { extended, parseLayer } from "../layers/layer.ts";
import { isPath, namesIn, presetFileIn } from "../layers/preset-file.ts";
import { shippedPresets } from "../paths.ts";
import type { Asked } from "./asked.ts";
import { knowledgeOf } from "./trust.ts";

const store = () => import("@scorel/packages/store");

/** The service `presetStore`; the first call loads its code. */
export function createPresetStore(asked: Asked): PackageStore {
  return lazily(async () => (await store()).createPresetStore(presetKnowledge(asked)));
}

/** The service `extensionStore`; the first call loads its code. */
export function createExtensionStore(reserved: ExtensionKnowledge["reserved"]): PackageStore {
  const extensions = lazily(async () =>
    (await store()).createExtensionStore({ version: manifest.version, reserved, idIn, review, problems }),
  );
  return {
    ...extensions,
    async remove(name) {
      const removed = await extensions.remove(name);
      const { forgetGuards } = await import("@scorel/trust/guards");
      await forgetGuards(({ id, folder }) => id === name && folder === userDir());
      return removed;
    },
  };
}

function lazily(store: () => Promise<PackageStore>): PackageStore {
  return {
    list: async () => (await store()).list(),
    taken: async (name) => (await store()).taken(name),
    stage: async () => (await store()).stage(),
    diff: async (name) => (await store()).diff(name),
    remove: async (name) => (await store()).remove(name),
  };
}

const idIn: ExtensionKnowledge["idIn"] = async (source) =>
  (await import("@scorel/extensions/facts")).extensionFacts(source).id;

const review: ExtensionKnowledge["review"] = async (...given) =>
  (await import("@scorel/extensions/review")).reviewOf(...given);

const problems: ExtensionKnowledge["problems"] = async (entry) =>
  (await import("@scorel/extensions/source-problems")).sourceProblems(entry);

function presetKnowledge(asked: Asked): PresetKnowledge {
  return {
    version: manifest.version,
    shipped: () => namesIn(shippedPresets),
    extendedBy: (file, text) =>
      extended(parseLayer(text, file, "user")).map(([preset, place]) => ({ preset, place, isPath: isPath(preset) })),
    ownFile(preset) {
      const project = projectDir(asked.cwd);
      const folders = [userDir(), ...(project === undefined ? [] : [project])];
      return folders.map((dir) => presetFileIn(dir, preset)).find((file) => file !== undefined);
    },
    async problems(folder) {
      const { examine } = await import("./examination.ts");
      const preset = join(folder, presetFile);
      const by = "scorel preset check";
      const looking = { preset, by, cwd: folder, project: undefined, looking: true, admission: lookingOnly };
      const { problems } = await examine(looking);
      return problems.map((problem) => problem.replaceAll(join(folder, "/"), ""));
    },
    async items(tree, name) {
      const { itemsOfPreset, packagesIn } = await import("@scorel/trust/items");
      // The store lists the packages that npm installs at the root itself, with their versions.
      const others = packagesIn(tree).filter(({ place }) => !place.startsWith("node_modules/"));
      return [...others, ...(await itemsOfPreset(tree, name, await knowledgeOf(asked)))];
    },
  };
}
