import type { AnyPlugin } from "@scorel/kernel";
import { isTable, type KeyPath } from "@scorel/kit/values/table";
import type { z } from "zod";
import { isOfProject, type Layer, type LayerKind } from "./layer.ts";
import type { Merged } from "./merge.ts";

/** How the values of an option in several layers are combined; a plugin's schema sets it with `.meta()`. */
interface Layering {
  /**
   * `join`: the lists of all layers are concatenated. `own`: the same, but values of a project are ignored. `narrow`: a project
   * may only choose a later value of an enum.
   */
  layers?: "join" | "own" | "narrow";
  /** With `narrow`: the value that a project may narrow if no other layer sets the option. */
  unset?: string;
}

/** Combines options whose later layers do not simply replace earlier ones; changes the merged tables. */
export function joinLayers(merged: Merged, plugins: Iterable<AnyPlugin>): void {
  for (const { id, config } of plugins) {
    const table = Object.hasOwn(merged.tables, id) ? merged.tables[id] : undefined;
    if (!config || !isTable(table)) continue;
    for (const [key, schema] of Object.entries(shapeOf(config))) {
      const { layers, unset } = (schema.meta() ?? {}) as Layering;
      const given = merged.layers.flatMap((layer) => valueIn(layer, id, key));
      if (given.length === 0) continue;
      const own = given.filter(({ kind }) => kind !== "project");
      if (layers === "own" && own.length === 0) delete table[key];
      else if (layers === "own") table[key] = joined(own.map(({ value }) => value));
      if (layers === "join") table[key] = joined(given.map(({ value }) => value));
      if (layers === "narrow") table[key] = narrowed(given, valuesOf(schema), unset);
    }
  }
}

/** Whether a value allows more than `before`, so that it has no effect in a project. */
export function isTooWide(config: z.ZodType | undefined, path: KeyPath, value: unknown, before: unknown): boolean {
  const [key, ...deeper] = path;
  const schema = config && deeper.length === 0 ? shapeOf(config)[String(key)] : undefined;
  const { layers, unset } = (schema?.meta() ?? {}) as Layering;
  if (schema && layers === "own") return true;
  if (!schema || layers !== "narrow") return false;
  const given = [
    { kind: "user" as const, value: before },
    { kind: "project" as const, value },
  ].filter((each) => each.value !== undefined);
  return narrowed(given, valuesOf(schema), unset) !== value;
}

interface Given {
  kind: LayerKind;
  value: unknown;
}

function valueIn(layer: Layer, id: string, key: string): Given[] {
  const table = Object.hasOwn(layer.table, id) ? layer.table[id] : undefined;
  return isTable(table) && Object.hasOwn(table, key)
    ? [{ kind: isOfProject(layer) ? "project" : layer.kind, value: table[key] }]
    : [];
}

/** Concatenates lists without duplicates. A value that is not a list is returned as it is, for the schema to report. */
function joined(values: readonly unknown[]): unknown {
  return values.find((value) => !Array.isArray(value)) ?? [...new Set(values.flat())];
}

/** The user's last value, or a project's later value if it does not allow more. */
function narrowed(given: readonly Given[], order: readonly unknown[], unset: string | undefined): unknown {
  let current: unknown;
  for (const { kind, value } of given) {
    const from = order.indexOf(current ?? unset);
    if (kind !== "project" || !order.includes(value) || order.indexOf(value) >= from) current = value;
  }
  return current;
}

function shapeOf(schema: z.ZodType): Record<string, z.ZodType> {
  const { shape } = schema as z.ZodType & { shape?: Record<string, z.ZodType> };
  return shape ?? {};
}

/** The values of an enum, in the order in which it lists them. */
function valuesOf(schema: z.ZodType): readonly unknown[] {
  const { options, def } = schema as z.ZodType & { options?: readonly unknown[]; def: { innerType?: z.ZodType } };
  return options ?? (def.innerType ? valuesOf(def.innerType) : []);
}
