import { dotted, isTable, type KeyPath, type Table } from "@scorel/kit/values/table";
import { shipped } from "../catalogue.ts";
import { type Layer, placeOf } from "./layer.ts";

/** The configuration that results from all layers. */
export interface Merged {
  layers: readonly Layer[];
  /** Ids to load, in order -> `file:line` of the entry. */
  use: ReadonlyMap<string, string>;
  /** Ids that are switched off, and not on again by a later layer -> `file:line`. */
  without: ReadonlyMap<string, string>;
  /** One table per plugin id. */
  tables: Table;
  /** Sets the origins of a value, for one that was not simply taken from the last layer that has it. */
  note(path: KeyPath, origins: readonly Origin[]): void;
  /**
   * `file:line` of the value, or of the nearest table around it; several, separated by commas, if it was joined from several files. If no
   * layer has the table, where to add it.
   */
  placeOf(path: KeyPath): string;
}

/** Where a value stands: the layer, and the path that the value has in it. */
interface Origin {
  layer: Layer;
  path: KeyPath;
}

/** The keys of a layer with a fixed meaning; every other key is the table of a plugin. */
const GRAMMAR = ["description", "extends", "use", "without", "extensions", "requires", "locked"] as const;
export type GrammarKey = (typeof GRAMMAR)[number];
export const grammarKeys: readonly string[] = GRAMMAR;

/**
 * Merges layers; later ones take precedence. `use` and `without` accumulate, and the last entry for an id counts. Tables are merged key by
 * key. Every other value, arrays included, is replaced.
 */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const use = new Map<string, string>();
  const without = new Map<string, string>();
  const tables: Table = Object.create(null);
  const origins: Origins = new Map();
  for (const layer of layers) {
    for (const [id, place] of switchedOff(layer)) {
      use.delete(id);
      without.set(id, place);
    }
    for (const [id, place] of listed(layer, ["use"])) {
      without.delete(id);
      if (!use.has(id)) use.set(id, place);
    }
    for (const [id, value] of tablesIn(layer)) assign(tables, [id], value, layer, origins);
  }
  const note = (path: KeyPath, of: readonly Origin[]) => void origins.set(keyOf(path), of);
  return { layers, use, without, tables, note, placeOf: (path) => placesIn(originsOf(origins, path), path) };
}

/** The tables of plugins and extensions in a layer. A value that is not a table is reported by the schema. */
export function tablesIn({ table }: Layer): [id: string, value: unknown][] {
  return Object.entries(table).filter(([key]) => !grammarKeys.includes(key));
}

/** The strings of an array, each with its `file:line`; values of another type are reported by the schema. */
export function listed(layer: Layer, path: readonly string[]): [id: string, place: string][] {
  const list = path.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), layer.table);
  if (!Array.isArray(list)) return [];
  return list.flatMap((id, index) =>
    typeof id === "string" ? [[id, placeOf(layer, [...path, index])] as [string, string]] : [],
  );
}

/** Whether an extension is switched off. If a plugin of Scorel has the same id, `without` means that plugin. */
export function isExtensionOff({ without }: Pick<Merged, "without">, id: string): boolean {
  return without.has(id) && !shipped(id);
}

/** Whether a plugin of Scorel was left out, so that an extension may have its id. */
export function isLeftOut({ use, without }: Merged): (id: string) => boolean {
  return (id) => without.has(id) && !use.has(id);
}

/** The ids that a layer switches off, in `without` or in `[extensions] disabled`. */
export function switchedOff(layer: Layer): [id: string, place: string][] {
  return [...listed(layer, ["without"]), ...listed(layer, ["extensions", "disabled"])];
}

function assign(target: Table, path: string[], value: unknown, layer: Layer, origins: Origins): void {
  const key = path.at(-1) as string;
  if (!isTable(value)) {
    for (const known of origins.keys()) if (known.startsWith(prefixOf(path))) origins.delete(known);
    origins.set(keyOf(path), [{ layer, path }]);
    define(target, key, value);
    return;
  }
  const existing = Object.hasOwn(target, key) ? target[key] : undefined;
  const table: Table = isTable(existing) ? existing : Object.create(null);
  origins.delete(keyOf(path));
  if (Object.keys(value).length === 0 && Object.keys(table).length === 0) origins.set(keyOf(path), [{ layer, path }]);
  for (const [inner, innerValue] of Object.entries(value)) assign(table, [...path, inner], innerValue, layer, origins);
  define(target, key, table);
}

/** Sets a key with defineProperty, so that `__proto__` is a plain key. */
function define(target: Table, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

type Origins = Map<string, readonly Origin[]>;

const keyOf = (path: KeyPath) => JSON.stringify(path.map(String));
const prefixOf = (path: KeyPath) => `${keyOf(path).slice(0, -1)},`;

/** The origins of a value, or of the nearest value around it; for a table, those of one of its values. */
function originsOf(origins: Origins, path: KeyPath): readonly Origin[] {
  for (let length = path.length; length > 0; length--) {
    const near = path.slice(0, length);
    const exact = origins.get(keyOf(near));
    if (exact) return exact.map((origin) => ({ ...origin, path: [...origin.path, ...path.slice(length)] }));
    for (const [known, [first]] of origins)
      if (first && known.startsWith(prefixOf(near))) return [{ layer: first.layer, path }];
  }
  return [];
}

function placesIn(origins: readonly Origin[], path: KeyPath): string {
  if (origins.length === 0) return `no file has [${dotted(path.slice(0, 1))}]; add it to ~/.scorel/config.toml`;
  return [...new Set(origins.map(nearestPlace))].join(", ");
}

function nearestPlace({ layer, path }: Origin): string {
  for (let length = path.length; length > 0; length--) {
    const line = layer.locate(path.slice(0, length));
    if (line !== undefined) return `${layer.file}:${line}`;
  }
  return layer.file;
}
