import type { ExtensionFile, ExtensionProblem, FoundExtensions } from "@scorel/extensions/contract";
import { type AnyPlugin, ScorelError } from "@scorel/kernel";
import { describedAt } from "@scorel/kit/schema/described";
import { secretFree } from "@scorel/kit/text/secret-free";
import { dotted, isTable, type KeyPath, leavesOf, type Table } from "@scorel/kit/values/table";
import type { PresetPackage } from "@scorel/workspace/contract";
import { contentsOf } from "./contents.ts";
import type { Composed, LayerNotice, PresetSummary, Setting } from "./contract.ts";

/** A TOML file of presets or configuration. */
interface LayerFile {
  file: string;
  /** Where it was named: `--preset`, or `file:line` of an `extends`. */
  by?: string;
}

/** Merged layers, with the plugins and extensions that they name. The loader provides them. */
export interface Resolved {
  layers: readonly LayerFile[];
  /** Ids to load, in order -> `file:line` of the entry. */
  use: ReadonlyMap<string, string>;
  /** Ids that are switched off -> `file:line` of the entry. */
  without: ReadonlyMap<string, string>;
  /** One table per plugin id. */
  tables: Table;
  /** `file:line` of a value. */
  placeOf(path: KeyPath): string;
  /** The shipped plugins that are used or configured, by id. */
  plugins: ReadonlyMap<string, AnyPlugin>;
  /** The scope of a shipped plugin; undefined if there is none with this id. */
  scopeOf(id: string): "host" | "session" | undefined;
  /** Preset folders in use. */
  packages: readonly PresetPackage[];
  /** The extensions to load, in order. */
  extensions: readonly ExtensionFile[];
  /** All extensions on disk. */
  found: FoundExtensions;
  locks: readonly { path: KeyPath; place: string }[];
  /** `file:line` of the lock on a key, on a table that contains it, or on a key within it; undefined for none. */
  lockOn(path: KeyPath): string | undefined;
  requirements: readonly { kind: string; what: string; place: string; unmet: string | undefined }[];
  problems: readonly ExtensionProblem[];
  notices: readonly LayerNotice[];
}

/** The layers as `scorel preset show` and `scorel config` show them. */
export function composedOf(resolved: Resolved): Composed {
  const { use, without, tables, plugins, scopeOf, extensions, found, notices, problems } = resolved;
  const used = [...use].flatMap(([id, origin]) => {
    const scope = scopeOf(id);
    return scope ? [{ id, scope, origin }] : [];
  });
  const own = extensions.map(({ id, path }) => ({ id, scope: "session" as const, origin: path }));
  const ids = new Set([...plugins.keys(), ...Object.keys(tables)]);
  return {
    files: resolved.layers.map(({ file }) => file),
    plugins: [...used, ...own],
    without: [...without].map(([id, origin]) => ({ id, origin })),
    settings: [...ids].flatMap((id) => settingsOf(resolved, id)),
    layers: resolved.layers.map(({ file, by = "" }) => ({ file, by })),
    locked: resolved.locks.map(({ path, place }) => ({ path: dotted(path), origin: place })),
    requires: resolved.requirements.map(({ kind, what, place, unmet }) => ({
      what: `${kind} ${what}`,
      origin: place,
      ...(unmet !== undefined && { unmet }),
    })),
    // `without` switches off the shipped plugin if there is one with that id, and not the extension.
    ships: contentsOf(resolved.packages, { found, off: new Map([...without].filter(([id]) => !scopeOf(id))) }),
    notices: [...notices, ...problems.map(({ code, message, origin }) => ({ code, text: message, where: origin }))],
  };
}

/** The values of one table, without secrets: values from layers, and the plugin's defaults. */
function settingsOf({ tables, plugins, placeOf, lockOn }: Resolved, id: string): Setting[] {
  const table = Object.hasOwn(tables, id) ? tables[id] : {};
  const schema = plugins.get(id)?.config;
  const parsed = schema?.safeParse(table);
  const values = parsed?.success ? parsed.data : table;
  return leavesOf(secretFree(values), [id]).map(({ path, value }) => {
    const locked = lockOn(path);
    const origin = isSet(tables, path) ? placeOf(path) : "default";
    const about = describedAt(schema, path.slice(1), values);
    const more = { ...(locked !== undefined && { locked }), ...(about !== undefined && { about }) };
    return { path: dotted(path), value, origin, ...more };
  });
}

function isSet(tables: Table, path: KeyPath): boolean {
  const found = path.reduce<unknown>((value, key) => (isTable(value) ? value[String(key)] : undefined), tables);
  return found !== undefined;
}

/** The line of a preset in `scorel preset list`. A preset that cannot be read is listed with its problem. */
export async function summaryOf(
  name: string,
  installed: PresetSummary["installed"],
  read: () => Promise<readonly (LayerFile & { table: Table })[]>,
): Promise<PresetSummary> {
  const known = { name, description: "", files: [], ...(installed && { installed }) };
  if (installed?.state === "changed") return known;
  try {
    const layers = await read();
    const texts = layers.map(({ table }) => table.description).filter((text) => typeof text === "string");
    return { ...known, description: texts.at(-1) ?? "", files: layers.map(({ file }) => file) };
  } catch (thrown) {
    if (!(thrown instanceof ScorelError)) throw thrown;
    return { ...known, problem: { code: thrown.code, message: thrown.message } };
  }
}
