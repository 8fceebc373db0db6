import type { AnyPlugin } from "@scorel/kernel";
import { type Combined, combined, type LayerValue, optionsOf } from "@scorel/kit/schema/layering";
import { isTable, type KeyPath } from "@scorel/kit/values/table";
import { isOfProject, type Layer } from "./layer.ts";
import type { Merged } from "./merge.ts";

interface Given extends LayerValue {
  layer: Layer;
}

/**
 * Combines options whose later layers do not simply replace earlier ones; changes the merged tables, and notes which layer each value and
 * each entry of a list comes from.
 */
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
      noteOrigins(merged, [id, key], result);
    }
  }
}

function noteOrigins(merged: Merged, path: KeyPath, { from, entries = [] }: Combined<Given>): void {
  if (from) merged.note(path, [{ layer: from.layer, path }]);
  // If all lists are empty, the last file that has one stays the origin.
  const layers = new Set(entries.map((entry) => entry.from.layer));
  if (layers.size > 0)
    merged.note(
      path,
      [...layers].map((layer) => ({ layer, path })),
    );
  for (const [at, entry] of entries.entries())
    merged.note([...path, at], [{ layer: entry.from.layer, path: [...path, entry.index] }]);
}

function valueIn(layer: Layer, id: string, key: string): Given[] {
  const table = Object.hasOwn(layer.table, id) ? layer.table[id] : undefined;
  if (!isTable(table) || !Object.hasOwn(table, key)) return [];
  const folder = (layer.pack ?? layer.within)?.root;
  return [{ value: table[key], isOfProject: isOfProject(layer), ...(folder !== undefined && { folder }), layer }];
}
