import { codeOf } from "@scorel/kernel";
import type { LayerKnowledge } from "@scorel/trust/loader";
import { builtOn } from "./admission.ts";
import { layerItems } from "./layer-items.ts";
import { type LayerRequest, readLayers } from "./layers.ts";
import { type Merged, mergeLayers } from "./merge.ts";

/** What holds for the user without any project, for telling what a project would change. */
export type OwnLayers = Pick<LayerRequest, "preset" | "by" | "cwd" | "admission">;

/** What the plugin `trust` is told of presets and configuration. */
export function createKnowledge(own: OwnLayers): LayerKnowledge {
  return {
    builtOn,
    async items(files) {
      const user = await userLayers(own);
      return await Promise.all(files.map((file) => layerItems(file, user)));
    },
  };
}

/** A preset that only the project has is left out. */
async function userLayers({ preset, by, cwd, admission }: OwnLayers): Promise<Merged | undefined> {
  const request = { by, cwd, project: undefined, ...(admission && { admission }) };
  try {
    return mergeLayers(await readLayers({ ...request, preset }));
  } catch (thrown) {
    // What the user has cannot be told while it is refused; then everything counts as new.
    if (codeOf(thrown) === "PRESET_CHANGED") return undefined;
    if (!["CONFIG_PRESET_UNKNOWN", "CONFIG_PRESET_UNCONFIRMED", "CONFIG_UNTRUSTED"].includes(codeOf(thrown)))
      throw thrown;
    return mergeLayers(await readLayers({ ...request, preset: "base" }));
  }
}
