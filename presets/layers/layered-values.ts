import type { AnyPlugin } from "@scorel/kernel";
import { isTable, type KeyPath } from "@scorel/kit/values/table";
import type { z } from "zod";
import { isOfProject, type Layer, type LayerKind } from "./layer.ts";
import type { Merged } from "./merge.ts";

/** What a plugin's schema says, by `.meta()`, about how the layers' values of an option come together. */
interface Layering {
  /**
   * `join`: the lists of all layers count. `own`: those of the user's own layers do, and what a project says changes nothing.
   * `narrow`: a project may only choose a later one of an enum's values.
   */
  layers?: "join" | "own" | "narrow";
  /** With `narrow`: what a project starts from when nobody else has set the option. */
  unset?: string;
}

/** Puts options right whose layers do not simply replace each other; changes the merged tables. */
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

/** Whether what a project sets is wider than what holds without it, and so changes nothing. */
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

/** What is no list is left for the schema to complain about. */
function joined(values: readonly unknown[]): unknown {
  return values.find((value) => !Array.isArray(value)) ?? [...new Set(values.flat())];
}

/** The last word of the user, unless the project says something that is no wider. */
function narrowed(given: readonly Given[], order: readonly unknown[], unset: string | undefined): unknown {
  let held: unknown;
  for (const { kind, value } of given) {
    const from = order.indexOf(held ?? unset);
    if (kind !== "project" || !order.includes(value) || order.indexOf(value) >= from) held = value;
  }
  return held;
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
