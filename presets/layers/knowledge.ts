import { codeOf } from "@scorel/kernel";
import type { LayerKnowledge } from "@scorel/trust/loader";
import { builtOn } from "./admission.ts";
import { layerItems } from "./layer-items.ts";
import { type LayerRequest, readLayers } from "./layers.ts";
import { type Merged, mergeLayers } from "./merge.ts";

/** The request for the user's layers without any project, which a project's changes are compared with. */
export type OwnLayers = Pick<LayerRequest, "preset" | "by" | "cwd" | "admission">;

/** What the plugin `trust` needs to know about presets and configuration. */
export function createKnowledge(own: OwnLayers): LayerKnowledge {
  return {
    builtOn,
    async items(files) {
      const user = await userLayers(own);
      return await Promise.all(files.map((file) => layerItems(file, user)));
    },
  };
}

/** The user's merged layers. If the preset exists only in the project, those of `base`. */
async function userLayers({ preset, by, cwd, admission }: OwnLayers): Promise<Merged | undefined> {
  const request = { by, cwd, project: undefined, ...(admission && { admission }) };
  try {
    return mergeLayers(await readLayers({ ...request, preset }));
  } catch (thrown) {
    // A changed preset is refused, so the user's layers are unknown: everything in the project counts as new.
    if (codeOf(thrown) === "PRESET_CHANGED") return undefined;
    if (!["CONFIG_PRESET_UNKNOWN", "CONFIG_PRESET_UNCONFIRMED", "CONFIG_UNTRUSTED"].includes(codeOf(thrown)))
      throw thrown;
    return mergeLayers(await readLayers({ ...request, preset: "base" }));
  }
}
