import { join, posix, relative, sep } from "node:path";
import type { Tree } from "@scorel/kit/files/tree";
import { MCP_JSON } from "@scorel/kit/schema/mcp-json";
import { oneLine } from "@scorel/kit/text/one-line";
import type { TrustItem } from "../contract.ts";
import type { LayerFile, LayerKnowledge, OwnExtensions } from "../loader.ts";
import type { TrustTarget } from "../targets.ts";
import { layerItems } from "./layer-items.ts";
import { mcpItems } from "./mcp-items.ts";

/** Everything in a project that Scorel would use, and what each item could do. */
export async function itemsIn(
  tree: Tree,
  target: TrustTarget,
  layers: LayerKnowledge,
  own: OwnExtensions,
): Promise<TrustItem[]> {
  const scorel = `${posix.relative(posix.normalize(tree.root), target.scorel)}/`;
  const ownPath = (path: string) => (path.startsWith(scorel) ? path.slice(scorel.length) : undefined);
  return [...packagesIn(tree), ...(await itemsOf(tree, { kind: "project", ownPath, layers, own }))];
}

/**
 * Everything that a preset contains besides installed packages, which counts like the user's own files. `name` is undefined for a single
 * file.
 */
export async function itemsOfPreset(
  tree: Tree,
  name: string | undefined,
  layers: LayerKnowledge,
): Promise<TrustItem[]> {
  const place = name === undefined ? "presets" : `presets/${name}`;
  return await itemsOf(tree, { kind: "user", ownPath: (path) => `${place}/${path}`, layers, own: new Map() });
}

interface ItemSearch {
  /** Whose layers they will be; this decides which of their settings apply. */
  kind: LayerFile["kind"];
  /** The path that a file has, or would have, in a `.scorel` folder; undefined if it has none. */
  ownPath(path: string): string | undefined;
  layers: LayerKnowledge;
  /** The extensions that these files could replace or configure. */
  own: OwnExtensions;
}

async function itemsOf(tree: Tree, { kind, ownPath, layers, own }: ItemSearch): Promise<TrustItem[]> {
  const layerPaths = layersIn(tree, (path) => ownPath(path)?.endsWith(".toml") ?? false, layers);
  const isLayer = (path: string) => layerPaths.has(path);
  const files = [...tree.files].filter(([path]) => isLayer(path) || !isInstalled(path));
  const toml = files
    .filter(([path]) => isLayer(path))
    .map(([path, bytes]) => ({ path: join(tree.root, path), shown: oneLine(path), bytes, kind }));
  const found = await layerItems(toml, layers, own);
  const items = new Map(toml.map(({ path }, index) => [path, found[index] ?? []]));
  const code = new Map(
    await Promise.all(
      files.map(async ([path]) => [path, await extensionItems(tree, path, { ownPath, layers, own })] as const),
    ),
  );
  return files.flatMap(([path]) => {
    const named = ownPath(path);
    if (path === MCP_JSON) return mcpItems(tree.files.get(path)?.toString("utf8") ?? "");
    if (named === undefined || !isLayer(path)) return code.get(path) ?? [fileItem(named, path, oneLine(path))];
    const preset = presetOf(named);
    const first: TrustItem[] =
      preset === undefined ? [] : [{ kind: "preset", what: oneLine(preset), place: oneLine(path) }];
    return [...first, ...(items.get(join(tree.root, path)) ?? [])];
  });
}

/** The paths of presets and config.toml files: all outside of installed packages, and those in packages that they extend. */
function layersIn({ root, files }: Tree, isToml: (path: string) => boolean, { builtOn }: LayerKnowledge): Set<string> {
  const found = new Set([...files.keys()].filter((path) => isToml(path) && !isInstalled(path)));
  for (const path of found)
    for (const next of builtOn(join(root, path), files.get(path) as Buffer)) {
      const name = relative(root, next).split(sep).join("/");
      if (files.has(name) && isToml(name)) found.add(name);
    }
  return found;
}

/** What an extension with this entry file would do; its other files are those in its folder. Undefined for any other file. */
async function extensionItems(
  { files }: Tree,
  entry: string,
  { ownPath, layers, own }: Pick<ItemSearch, "ownPath" | "layers" | "own">,
): Promise<TrustItem[] | undefined> {
  const id = extensionOf(withoutPackage(ownPath(entry)) ?? "");
  if (id === undefined) return undefined;
  const isMore = (path: string) =>
    path !== entry && path.startsWith(`${posix.dirname(entry)}/`) && isCode.test(path) && !isInstalled(path);
  const more = /\/index\.\w+$/.test(entry) ? [...files.keys()].filter(isMore) : [];
  const sources = [entry, ...more].map((path) => ({ path, source: files.get(path)?.toString("utf8") ?? "" }));
  const items = await layers.review(id, sources, "other");
  const replaced = own.get(id);
  if (replaced === undefined) return items;
  const what = `replaces your extension ${oneLine(id)} (${oneLine(replaced)})`;
  return [{ kind: "weakens", what, place: oneLine(entry) }, ...items];
}

const isCode = /^(?!.*\.(?:test|d)\.).*\.[cm]?[jt]sx?$/s;

/** Whether a path is in an installed package. */
const isInstalled = (path: string) => /(?:^|\/)node_modules\//.test(path);

/** Installed packages, each as one item. */
export function packagesIn({ files }: Tree): TrustItem[] {
  const places = [...files.keys()].flatMap(
    (path) => /^(?:.*?\/)?node_modules\/(?:@[^/]+\/)?[^/]+/s.exec(path)?.[0] ?? [],
  );
  return [...new Set(places)].map((place) => ({
    kind: "code",
    what: `package ${oneLine(place.replace(/^(?:.*?\/)?node_modules\//s, ""))}`,
    place: oneLine(place),
  }));
}

/** The name of the preset that this path is the TOML file of. */
const presetOf = (own: string) => /^presets\/([^/]+?)(?:\/preset)?\.toml$/.exec(own)?.[1];

/** The path without the folder of its preset: such a folder may contain what a project may. */
const withoutPackage = (own: string | undefined) => own?.replace(/^presets\/[^/]+\//, "");

function fileItem(given: string | undefined, path: string, place: string): TrustItem {
  const own = withoutPackage(given);
  if (own?.startsWith("extensions/")) return { kind: "code", what: "a file next to it", place };
  if (own === "instructions.md" || (own !== given && /^instructions\/[^/]+\.md$/.test(own ?? "")))
    return { kind: "instructions", what: "instructions for each session", place };
  const command = /(?:^|\/)commands\/(.+)\.md$/s.exec(own ?? path)?.[1];
  if (command !== undefined) return { kind: "command", what: `/${oneLine(command.split("/").join(":"))}`, place };
  const agent = /^(?:\.claude\/)?agents\/(.+)\.md$/s.exec(given ?? path)?.[1];
  if (agent !== undefined) return { kind: "agent", what: oneLine(agent), place };
  const skill = /(?:^|\/)skills\/(.+)\/SKILL\.md$/s.exec(path)?.[1];
  if (skill !== undefined) return { kind: "skill", what: oneLine(skill), place };
  return { kind: "other", what: "a file that a skill or an extension may use", place };
}

/** The id of the extension that this path is the entry file of. */
function extensionOf(own: string): string | undefined {
  return /^extensions\/([^/]+?)(?:\/index)?\.m?[jt]s$/.exec(own)?.[1];
}
