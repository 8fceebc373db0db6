import { messageOf } from "@scorel/kernel";
import { metaAt } from "@scorel/kit/schema/keys";
import { isTooWide } from "@scorel/kit/schema/layering";
import { oneLine } from "@scorel/kit/text/one-line";
import { dotted, isTable, type KeyPath, leavesOf } from "@scorel/kit/values/table";
import type { TrustItem } from "../contract.ts";
import type { LayerFile, LayerKnowledge, OwnExtensions, ParsedLayer, TrustMark, UserLayers } from "../loader.ts";
import { hostOf } from "./host-of.ts";

const LONGEST = 200;
/** The most characters of a table; more than for other values, since its last key may be the one that matters. */
const LONGEST_TABLE = 1_000;

/** What each of these presets and config.toml files would change compared with the user's own layers, or why it cannot be read. */
export async function layerItems(
  files: readonly LayerFile[],
  layers: LayerKnowledge,
  own: OwnExtensions,
): Promise<TrustItem[][]> {
  const user = await layers.ofUser();
  return await Promise.all(
    files.map(async (file): Promise<TrustItem[]> => {
      try {
        const layer = await layers.parse(file);
        return [...switches(layer, user), ...settings(layer, file.kind, { user, own }), ...locks(layer, file.kind)];
      } catch (thrown) {
        return [{ kind: "other", what: oneLine(messageOf(thrown)), place: file.shown }];
      }
    }),
  );
}

/** The plugins that a layer leaves out or loads, and the presets that it extends. */
function switches(layer: ParsedLayer, user: UserLayers | undefined): TrustItem[] {
  return listsOf(layer).map(({ word, id, place }): TrustItem => {
    if (word === "without") {
      const used = user?.use.get(id);
      return { kind: "weakens", what: `switches off ${oneLine(id)}${used ? `, which you use (${used})` : ""}`, place };
    }
    const off = word === "use" ? user?.without.get(id) : undefined;
    if (off) return { kind: "weakens", what: `switches on ${oneLine(id)}, which you switched off (${off})`, place };
    return { kind: "preset", what: `${word === "use" ? "loads" : "builds on"} ${oneLine(id)}`, place };
  });
}

/** Lists the settings that a preset locks. Locks in a project's own files are left out, because they have no effect. */
function locks({ table, placeOf }: ParsedLayer, kind: LayerFile["kind"]): TrustItem[] {
  if (kind === "project" || !Array.isArray(table.locked)) return [];
  return table.locked.map((key, index) => ({
    kind: "setting",
    what: `locks ${oneLine(String(key))}, so that no project can change it`,
    place: placeOf(["locked", index]),
  }));
}

function listsOf({
  table,
  placeOf,
}: ParsedLayer): { word: "use" | "without" | "extends"; id: string; place: string }[] {
  const disabled = isTable(table.extensions) ? table.extensions.disabled : undefined;
  const lists = [
    ["without", table.without, ["without"]],
    ["without", disabled, ["extensions", "disabled"]],
    ["use", table.use, ["use"]],
    ["extends", table.extends, ["extends"]],
  ] as const;
  return lists.flatMap(([word, list, path]) =>
    (Array.isArray(list) ? list : list === undefined ? [] : [list]).map((id, index) => ({
      word,
      id: String(id),
      place: placeOf(Array.isArray(list) ? [...path, index] : path),
    })),
  );
}

/** The settings of a layer. Those that their plugin marks with `.meta({ trust })` say what they could do and the user's value. */
function settings(
  layer: ParsedLayer,
  kind: LayerFile["kind"],
  { user, own }: { user: UserLayers | undefined; own: OwnExtensions },
): TrustItem[] {
  return layer.settings.flatMap(({ id, table, schema }) =>
    leavesOf(table, [id])
      .flatMap(eachPart)
      .flatMap(({ path, value, entry }): TrustItem[] => {
        const mark = metaAt(schema, path.slice(1), "trust") as TrustMark | undefined;
        const shown = entry ?? { path, value };
        const what = `${dotted(shown.path)} = ${written(shown.value, isTable(value) ? LONGEST_TABLE : LONGEST)}${hostOf(shown.value)}`;
        const place = layer.placeOf(shown.path);
        const theirs = user && valueAt(user, path);
        const tooWide = isTooWide(schema, path.slice(1), value, theirs?.value);
        const yours = theirs ? ` (yours: ${written(theirs.value)}, ${theirs.place})` : "";
        if (!mark && tooWide && kind === "user")
          return [{ kind: "weakens", what: `${what}: decides what the model may do unasked${yours}`, place }];
        if (!mark && own.has(id))
          return [{ kind: "weakens", what: `${what}: changes what your extension does${yours}`, place }];
        if (!mark)
          return [{ kind: "setting", what: tooWide ? `${what} (no effect: ${noEffect(theirs)})` : what, place }];
        if (mark.kind === "weakens" && theirs && textOf(theirs.value) === textOf(value)) return [];
        return [{ kind: mark.kind, what: `${what}: ${mark.could}${yours}`, place }];
      }),
  );
}

/** A value, or one entry of it that is shown as an item of its own. */
interface Part {
  path: KeyPath;
  value: unknown;
  entry?: { path: KeyPath; value: unknown };
}

/** Splits a list of tables into its tables, and another list that is too long to be shown, so that no entry is hidden. */
function eachPart({ path, value }: { path: KeyPath; value: unknown }): Part[] {
  if (!Array.isArray(value) || value.length === 0) return [{ path, value }];
  if (value.every(isTable)) return value.map((table, index) => ({ path: [...path, index], value: table }));
  if (textOf(value).length <= LONGEST) return [{ path, value }];
  return value.map((each, index) => ({ path, value, entry: { path: [...path, index], value: each } }));
}

/** Why a setting has no effect: a project may only narrow what the user or the user's preset allows. */
function noEffect(theirs: { value: unknown; place: string } | undefined): string {
  const yours = theirs === undefined ? "" : `, and yours is ${written(theirs.value)} (${theirs.place})`;
  return `a project cannot widen what you allow${yours}; to have it, write it into your own config.toml`;
}

function valueAt({ tables, placeOf }: UserLayers, path: KeyPath): { value: unknown; place: string } | undefined {
  const value = path.reduce<unknown>(
    (at, key) => (isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    tables,
  );
  return value === undefined ? undefined : { value, place: placeOf(path) };
}

function written(value: unknown, most = LONGEST): string {
  const text = textOf(value);
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
