import type { KernelEntry } from "@scorel/kernel";
import { loadShipped } from "../catalogue.ts";
import type { Asked } from "../composition/asked.ts";
import { readLayers } from "../layers/layers.ts";
import { mergeLayers } from "../layers/merge.ts";

/** Without these nothing could be said; the others are left out when they cannot start. */
const needed = ["cli", "doctor"];

/**
 * The host plugins of a command that finds out what is wrong. It runs whatever the presets, the configuration and the
 * extensions are like: of these none is loaded, and a table counts only when it can be read and is valid.
 */
export async function rescuePlugins(asked: Asked): Promise<{ entries: KernelEntry[]; problems: [] }> {
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
  return { entries, problems: [] };
}

async function readableTables({ preset, by, cwd }: Asked): Promise<Readonly<Record<string, unknown>>> {
  try {
    return mergeLayers(await readLayers({ preset, by, cwd, project: undefined })).tables;
  } catch {
    // The command itself reads the layers and says what is wrong with them.
    return {};
  }
}
