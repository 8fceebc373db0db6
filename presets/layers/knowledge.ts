import { codeOf } from "@scorel/kernel";
import type { LayerKnowledge } from "@scorel/trust/loader";
import { loadShipped } from "../catalogue.ts";
import { builtOn } from "./admission.ts";
import { parseLayer, placeOf } from "./layer.ts";
import { type LayerRequest, readLayers } from "./layers.ts";
import { type Merged, mergeLayers, tablesIn } from "./merge.ts";

/** The request for the user's layers without any project. A project's changes are compared with them. */
export type OwnLayers = Pick<LayerRequest, "preset" | "by" | "cwd" | "admission">;

/** The information that the plugin `trust` needs about presets and configuration. */
export function createKnowledge(own: OwnLayers): LayerKnowledge {
  return {
    builtOn,
    async parse({ path, shown, bytes, kind }) {
      const layer = parseLayer(bytes.toString("utf8"), path, kind, shown);
      const tables = tablesIn(layer);
      const plugins = await loadShipped(tables.map(([id]) => id));
      return {
        table: layer.table,
        settings: tables.map(([id, table]) => ({ id, table, schema: plugins.get(id)?.config })),
        placeOf: (key) => placeOf(layer, key),
      };
    },
    ofUser: () => userLayers(own),
    review: async (...given) => (await import("@scorel/extensions/review")).reviewOf(...given),
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
