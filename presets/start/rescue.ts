import type { KernelEntry } from "@scorel/kernel";
import { loadShipped } from "../catalogue.ts";
import type { Asked } from "../composition/asked.ts";
import type { HostPlugins } from "../composition/composition.ts";
import { readLayers } from "../layers/layers.ts";
import { mergeLayers } from "../layers/merge.ts";

/** The plugins without which the command cannot run; the others are left out when they fail to start. */
const needed = ["cli", "doctor"];

/**
 * The host plugins of `scorel doctor`. It has to run even if presets, configuration or extensions are broken: no extension is
 * loaded, and a table of the configuration is used only if it is valid.
 */
export async function rescuePlugins(asked: Asked): Promise<HostPlugins> {
  const plugins = await loadShipped([...needed, "logs", "host", "models"]);
  const tables = await readableTables(asked);
  const entries = [...plugins].map(
    ([id, plugin]): KernelEntry => ({
      plugin,
      config: plugin.config?.safeParse(tables[id] ?? {}).success ? tables[id] : undefined,
      origin: "presets/base.toml",
      optional: !needed.includes(id),
    }),
  );
  return { entries, problems: [], suspects: () => [] };
}

async function readableTables({ preset, by, cwd }: Asked): Promise<Readonly<Record<string, unknown>>> {
  try {
    return mergeLayers(await readLayers({ preset, by, cwd, project: undefined })).tables;
  } catch {
    // The doctor reads the layers itself and reports what is wrong with them.
    return {};
  }
}
