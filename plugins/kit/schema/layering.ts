import type { z } from "zod";
import { isTable, type KeyPath, type Table } from "../values/table.ts";

/** How the values that several layers give to an option are combined. A plugin's schema declares it with `.meta()`. */
interface Layering {
  /**
   * `join`: the lists of all layers are concatenated. `own`: the same, but values of a project are ignored. `narrow`: a project
   * may only choose a later value of an enum. Default: the last layer's value counts.
   */
  layers?: "join" | "own" | "narrow";
  /** With `join`: a key that is set to `true` in each table of a list that a project wrote, whatever the project itself wrote there. */
  marked?: string;
  /**
   * With `join`: a key that is set to the folder of the preset in each table of a list that a preset in a folder wrote. No layer can set it
   * itself.
   */
  placed?: string;
  /** With `narrow`: the value that a project may narrow if no other layer sets the option. */
  unset?: string;
}

/** The value that one layer gives to an option. */
export interface LayerValue {
  value: unknown;
  isOfProject: boolean;
  /** The folder of the preset that the layer is in, if it is in one. */
  folder?: string;
}

/** The value that results from those of several layers, and the layers that it comes from. */
export interface Combined<Given extends LayerValue> {
  value: unknown;
  /** The layer that gave the value. Absent if several layers were joined to a list, or if there is no value. */
  from?: Given;
  /** For each entry of a joined list, the layer that gave it, and its index there. */
  entries?: readonly { from: Given; index: number }[];
}

/** The options of an object schema, by name. */
export function optionsOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  const { shape } = (schema ?? {}) as { shape?: Record<string, z.ZodType> };
  return shape ?? {};
}

/**
 * Combines the values of an option, in the order of their layers. Returns undefined if the last value applies unchanged. If the result's
 * `value` is undefined, none of the values applies.
 */
export function combined<Given extends LayerValue>(
  option: z.ZodType,
  given: readonly Given[],
): Combined<Given> | undefined {
  const { layers, unset, marked, placed } = layeringOf(option);
  if (layers === "join") return joined(given.map((each) => noted(each, marked, placed)));
  if (layers === "narrow") return narrowed(given, valuesOf(option), unset);
  if (layers !== "own") return undefined;
  const own = given.filter(({ isOfProject }) => !isOfProject);
  return own.length === 0 ? { value: undefined } : joined(own);
}

/** Whether a project's value for the key at a path allows more than `before`, so that it has no effect. */
export function isTooWide(schema: z.ZodType | undefined, path: KeyPath, value: unknown, before: unknown): boolean {
  const option = path.length === 1 ? optionsOf(schema)[String(path[0])] : undefined;
  if (!option) return false;
  const { layers, unset } = layeringOf(option);
  if (layers !== "narrow") return layers === "own";
  const own = before === undefined ? [] : [{ value: before, isOfProject: false }];
  return narrowed([...own, { value, isOfProject: true }], valuesOf(option), unset).value !== value;
}

/** How the values of several layers for the key at a path are combined. */
export function layersOf(schema: z.ZodType | undefined, path: KeyPath): Layering["layers"] {
  const option = path.length === 1 ? optionsOf(schema)[String(path[0])] : undefined;
  return option && layeringOf(option).layers;
}

function layeringOf(option: z.ZodType): Layering {
  return (option.meta() ?? {}) as Layering;
}

/** Concatenates lists without duplicates. A value that is not a list is returned as it is, for the schema to report. */
function joined<Given extends LayerValue>(given: readonly Given[]): Combined<Given> {
  const other = given.find(({ value }) => !Array.isArray(value));
  if (other) return { value: other.value, from: other };
  const entries = new Map<unknown, { from: Given; index: number }>();
  for (const from of given)
    for (const [index, entry] of (from.value as unknown[]).entries())
      if (!entries.has(entry)) entries.set(entry, { from, index });
  return { value: [...entries.keys()], entries: [...entries.values()] };
}

/** Returns a value with the keys that say who wrote each of its tables. */
function noted<Given extends LayerValue>(given: Given, marked: string | undefined, placed: string | undefined): Given {
  const { value, isOfProject, folder } = given;
  if (!Array.isArray(value)) return given;
  const keys = {
    ...(marked !== undefined && isOfProject && { [marked]: true }),
    ...(placed !== undefined && { [placed]: folder }),
  };
  const note = (entry: unknown) => (isTable(entry) ? defined({ ...entry, ...keys }) : entry);
  return Object.keys(keys).length === 0 ? given : { ...given, value: value.map(note) };
}

/** A table without the keys that have no value. */
function defined(table: Table): Table {
  return Object.fromEntries(Object.entries(table).filter(([, value]) => value !== undefined));
}

/** The user's last value, or a project's later value if it does not allow more. */
function narrowed<Given extends LayerValue>(
  given: readonly Given[],
  order: readonly unknown[],
  unset: string | undefined,
): Combined<Given> {
  let current: Given | undefined;
  for (const each of given) {
    const from = order.indexOf(current?.value ?? unset);
    if (!each.isOfProject || !order.includes(each.value) || order.indexOf(each.value) >= from) current = each;
  }
  return current ? { value: current.value, from: current } : { value: undefined };
}

/** The values of an enum, in the order in which it lists them. */
function valuesOf(schema: z.ZodType): readonly unknown[] {
  const { options, def } = schema as z.ZodType & { options?: readonly unknown[]; def: { innerType?: z.ZodType } };
  return options ?? (def.innerType ? valuesOf(def.innerType) : []);
}
