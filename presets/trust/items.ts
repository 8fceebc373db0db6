import { join, posix } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import type { TrustItem } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { loadShipped } from "../composition/resolution.ts";
import { type Layer, type LayerKind, parseLayer, placeOf } from "../layers/layer.ts";
import { isTooWide } from "../layers/layered-values.ts";
import { readLayers } from "../layers/layers.ts";
import { leavesOf } from "../layers/leaves.ts";
import { dotted, grammarKeys, isTable, type KeyPath, type Merged, mergeLayers } from "../layers/merge.ts";
import type { TrustGround } from "../paths.ts";
import { admissionOf } from "./admission.ts";
import { markAt } from "./marks.ts";
import type { Tree } from "./tree.ts";

const LONGEST = 200;

/** Everything that a project has for Scorel to use, and what each could do. */
export async function itemsIn(tree: Tree, ground: TrustGround, asked: Asked): Promise<TrustItem[]> {
  const scorel = `${posix.relative(posix.normalize(tree.root), ground.scorel)}/`;
  const ownPath = (path: string) => (path.startsWith(scorel) ? path.slice(scorel.length) : undefined);
  return await itemsOf(tree, { kind: "project", ownPath, asked });
}

/** Everything that a preset of this name brings, to be used like the user's own. Without a name it is a file alone. */
export async function itemsOfPreset(tree: Tree, name: string | undefined, asked: Asked): Promise<TrustItem[]> {
  const place = name === undefined ? "presets" : `presets/${name}`;
  return await itemsOf(tree, { kind: "user", ownPath: (path) => `${place}/${path}`, asked });
}

interface Looking {
  /** Whose the layers will be, and so what of them counts. */
  kind: LayerKind;
  /** The path of a file below a `.scorel` folder that it is in, or stands for. */
  ownPath(path: string): string | undefined;
  asked: Asked;
}

async function itemsOf(tree: Tree, { kind, ownPath, asked }: Looking): Promise<TrustItem[]> {
  const user = await userLayers(asked);
  const items: TrustItem[] = installedIn(tree);
  for (const [path, bytes] of tree.files) {
    if (path.includes("node_modules/")) continue;
    const own = ownPath(path);
    if (own === undefined || !isLayer(own)) items.push(fileItem(own, path, oneLine(path)));
    else
      items.push(...(await layerItems({ own, bytes, path: join(tree.root, path), shown: oneLine(path), kind }, user)));
  }
  return items;
}

/** Installed packages, each as one item. */
function installedIn({ files }: Tree): TrustItem[] {
  const places = [...files.keys()].flatMap((path) => /^.*?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(places)].map((place) => ({
    kind: "code",
    what: `package ${oneLine(place.replace(/^.*?node_modules\//, ""))}`,
    place: oneLine(place),
  }));
}

/** Any layer may build on another file by its path. */
const isLayer = (own: string) => own.endsWith(".toml");

/** The name of a preset whose file this is. */
const presetOf = (own: string) => /^presets\/([^/]+?)(?:\/preset)?\.toml$/.exec(own)?.[1];

/** A preset that is a folder may bring what a project may. */
const withoutPackage = (own: string | undefined) => own?.replace(/^presets\/[^/]+\//, "");

function fileItem(given: string | undefined, path: string, place: string): TrustItem {
  const own = withoutPackage(given);
  const extension = own === undefined ? undefined : extensionOf(own);
  if (extension !== undefined) return { kind: "code", what: `extension ${oneLine(extension)}`, place };
  if (own?.startsWith("extensions/")) return { kind: "code", what: "a file beside it", place };
  if (own === "instructions.md" || (own !== given && /^instructions\/[^/]+\.md$/.test(own ?? "")))
    return { kind: "instructions", what: "instructions for each session", place };
  const command = /(?:^|\/)commands\/(.+)\.md$/.exec(own ?? path)?.[1];
  if (command !== undefined) return { kind: "command", what: `/${oneLine(command.split("/").join(":"))}`, place };
  const skill = /(?:^|\/)skills\/(.+)\/SKILL\.md$/.exec(path)?.[1];
  if (skill !== undefined) return { kind: "skill", what: oneLine(skill), place };
  return { kind: "other", what: "a file that a skill or an extension may use", place };
}

/** The id of an extension whose entry this is. */
function extensionOf(own: string): string | undefined {
  return /^extensions\/([^/]+?)(?:\/index)?\.m?[jt]s$/.exec(own)?.[1];
}

interface LayerFile {
  own: string;
  bytes: Buffer;
  path: string;
  shown: string;
  kind: LayerKind;
}

async function layerItems(
  { own, bytes, path, shown, kind }: LayerFile,
  user: Merged | undefined,
): Promise<TrustItem[]> {
  const preset = presetOf(own);
  const first: TrustItem[] = preset === undefined ? [] : [{ kind: "preset", what: oneLine(preset), place: shown }];
  try {
    const layer = parseLayer(bytes.toString("utf8"), path, kind, shown);
    return [...first, ...switches(layer, user), ...(await settings(layer, user))];
  } catch (thrown) {
    return [...first, { kind: "other", what: oneLine(messageOf(thrown)), place: shown }];
  }
}

/** What a layer leaves out, loads and builds on. */
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

/** What a layer sets; what its plugin has marked as delicate says what it could do, and what the user has there. */
async function settings(layer: Layer, user: Merged | undefined): Promise<TrustItem[]> {
  const tables = Object.entries(layer.table).filter(([id]) => !grammarKeys.includes(id));
  const plugins = await loadShipped(tables.map(([id]) => id));
  return tables.flatMap(([id, table]) =>
    leavesOf(table, [id]).flatMap(({ path, value }): TrustItem[] => {
      const mark = markAt(plugins.get(id)?.config, path.slice(1));
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

/** A project may only narrow what the user, or the preset that the user chose, allows. */
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

/** What holds without the project; a preset that only the project has is left out of it. */
async function userLayers(asked: Asked): Promise<Merged | undefined> {
  const { preset, by, cwd } = asked;
  const request = { by, cwd, project: undefined, admission: admissionOf(asked) };
  try {
    return mergeLayers(await readLayers({ ...request, preset }));
  } catch (thrown) {
    // What the user has cannot be told while it is refused; then everything counts as new.
    if (codeOf(thrown) === "PRESET_CHANGED") return undefined;
    if (!["CONFIG_PRESET_UNKNOWN", "CONFIG_PRESET_UNCONFIRMED", "CONFIG_UNTRUSTED"].includes(codeOf(thrown)))
      throw thrown;
    return mergeLayers(await readLayers({ ...request, preset: "base" }));
  }
}

function written(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** A name with a line break in it is no way to write lines of one's own into the question. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}
