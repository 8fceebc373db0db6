import type { AnyPlugin } from "@scorel/kernel";
import { combined, type LayerValue, optionsOf } from "@scorel/kit/schema/layering";
import { isTable } from "@scorel/kit/values/table";
import { isOfProject, type Layer } from "./layer.ts";
import type { Merged } from "./merge.ts";

/** Combines options whose later layers do not simply replace earlier ones; changes the merged tables. */
export function joinLayers(merged: Merged, plugins: Iterable<AnyPlugin>): void {
  for (const { id, config } of plugins) {
    const table = Object.hasOwn(merged.tables, id) ? merged.tables[id] : undefined;
    if (!isTable(table)) continue;
    for (const [key, option] of Object.entries(optionsOf(config))) {
      const given = merged.layers.flatMap((layer) => valueIn(layer, id, key));
      const result = given.length > 0 ? combined(option, given) : undefined;
      if (!result) continue;
      if (result.value === undefined) delete table[key];
      else table[key] = result.value;
    }
  }
}

function valueIn(layer: Layer, id: string, key: string): LayerValue[] {
  const table = Object.hasOwn(layer.table, id) ? layer.table[id] : undefined;
  return isTable(table) && Object.hasOwn(table, key) ? [{ value: table[key], isOfProject: isOfProject(layer) }] : [];
}
