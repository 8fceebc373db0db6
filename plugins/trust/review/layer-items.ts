import { messageOf } from "@scorel/kernel";
import { metaAt } from "@scorel/kit/schema/keys";
import { oneLine } from "@scorel/kit/text/one-line";
import { dotted, isTable, type KeyPath, leavesOf } from "@scorel/kit/values/table";
import type { TrustItem } from "@scorel/trust/contract";
import type { LayerFile, TrustMark } from "@scorel/trust/loader";
import { loadShipped } from "../catalogue.ts";
import { type Layer, parseLayer, placeOf } from "./layer.ts";
import { isTooWide } from "./layered-values.ts";
import { grammarKeys, type Merged } from "./merge.ts";

const LONGEST = 200;

/** What a layer would change compared with the user's own layers, or why it cannot be read. */
export async function layerItems(file: LayerFile, user: Merged | undefined): Promise<TrustItem[]> {
  const { path, shown, bytes, kind } = file;
  try {
    const layer = parseLayer(bytes.toString("utf8"), path, kind, shown);
    return [...switches(layer, user), ...(await settings(layer, user))];
  } catch (thrown) {
    return [{ kind: "other", what: oneLine(messageOf(thrown)), place: shown }];
  }
}

/** The plugins that a layer leaves out or loads, and the presets that it extends. */
function switches(layer: Layer, user: Merged | undefined): TrustItem[] {
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

function listsOf(layer: Layer): { word: "use" | "without" | "extends"; id: string; place: string }[] {
  const { table } = layer;
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
      place: placeOf(layer, Array.isArray(list) ? [...path, index] : path),
    })),
  );
}

/** The settings of a layer. Those that their plugin marks with `.meta({ trust })` say what they could do and the user's value. */
async function settings(layer: Layer, user: Merged | undefined): Promise<TrustItem[]> {
  const tables = Object.entries(layer.table).filter(([id]) => !grammarKeys.includes(id));
  const plugins = await loadShipped(tables.map(([id]) => id));
  return tables.flatMap(([id, table]) =>
    leavesOf(table, [id]).flatMap(({ path, value }): TrustItem[] => {
      const mark = metaAt(plugins.get(id)?.config, path.slice(1), "trust") as TrustMark | undefined;
      const what = `${dotted(path)} = ${written(value)}`;
      const place = placeOf(layer, path);
      const theirs = user && valueAt(user, path);
      const tooWide = isTooWide(plugins.get(id)?.config, path.slice(1), value, theirs?.value);
      const yours = theirs ? ` (yours: ${written(theirs.value)}, ${theirs.place})` : "";
      if (!mark && tooWide && layer.kind === "user")
        return [{ kind: "weakens", what: `${what}: decides what the model may do unasked${yours}`, place }];
      if (!mark) return [{ kind: "setting", what: tooWide ? `${what} (no effect: ${noEffect(theirs)})` : what, place }];
      if (mark.kind === "weakens" && theirs && written(theirs.value) === written(value)) return [];
      return [{ kind: mark.kind, what: `${what}: ${mark.could}${yours}`, place }];
    }),
  );
}

/** Why a setting has no effect: a project may only narrow what the user or the user's preset allows. */
function noEffect(theirs: { value: unknown; place: string } | undefined): string {
  const yours = theirs === undefined ? "" : `, and yours is ${written(theirs.value)} (${theirs.place})`;
  return `a project cannot widen what you allow${yours}; to have it, write it into your own config.toml`;
}

function valueAt({ tables, placeOf }: Merged, path: KeyPath): { value: unknown; place: string } | undefined {
  const value = path.reduce<unknown>(
    (at, key) => (isTable(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    tables,
  );
  return value === undefined ? undefined : { value, place: placeOf(path) };
}

function written(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
