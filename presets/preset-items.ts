import type { LockedPackage } from "@scorel/packages/contract";
import type { TrustItem } from "@scorel/trust/contract";
import type { Asked } from "./composition.ts";
import { extensionFacts } from "./extension-facts.ts";
import { itemsIn } from "./trust-items.ts";
import type { Tree } from "./trust-tree.ts";

interface About {
  name: string;
  packages: readonly LockedPackage[];
  asked: Asked;
}

/** Everything that a preset brings and what each could do; of its code as it is written out, without running any. */
export async function presetItems(tree: Tree, { name, packages, asked }: About): Promise<TrustItem[]> {
  const own = new Map([...tree.files].filter(([path]) => !path.startsWith("node_modules/")));
  const code = [...own].filter(([path]) => extensionOf(path) !== undefined);
  const words = [...own.keys()].filter((path) => /^instructions\/[^/]+\.md$/.test(path));
  for (const path of [...code.map(([path]) => path), ...words]) own.delete(path);
  return [
    ...(await itemsAsOfProject({ ...tree, files: own }, name, asked)),
    ...words.map((place): TrustItem => ({ kind: "instructions", what: "instructions for each session", place })),
    ...code.map(([path, bytes]) => codeItem(path, bytes.toString("utf8"))),
    ...packages.map((each) => packageItem(each)),
  ];
}

/** A preset may do what the one of a project may, so it is asked about in the same words. */
async function itemsAsOfProject(tree: Tree, name: string, asked: Asked): Promise<TrustItem[]> {
  const top = `.scorel/presets/${name}`;
  const files = new Map(
    [...tree.files].map(([path, bytes]) => [path === "preset.toml" ? `${top}.toml` : `${top}/${path}`, bytes]),
  );
  const scorel = `${tree.root}/.scorel`;
  const ground = { path: tree.root, root: tree.root, scorel, folders: [scorel] };
  const items = await itemsIn({ ...tree, files }, ground, asked);
  return items.map((item) => ({
    ...item,
    place: item.place.replace(`${top}.toml`, "preset.toml").replace(`${top}/`, ""),
  }));
}

/** The id of an extension whose entry this is. */
function extensionOf(path: string): string | undefined {
  return /^extensions\/([^/]+?)(?:\/index)?\.m?[jt]s$/.exec(path)?.[1];
}

function codeItem(path: string, source: string): TrustItem {
  const { contributes, hooks, host, imports } = extensionFacts(source);
  const facts = [
    host ? "runs once per process" : "",
    hooks.length > 0 ? `taps ${hooks.join(", ")}` : "",
    contributes.length > 0 ? `brings ${contributes.join(", ")}` : "",
    imports.length > 0 ? `imports ${imports.join(", ")}` : "",
  ].filter(Boolean);
  const what = `extension ${extensionOf(path)}${facts.length > 0 ? `: ${facts.join("; ")}` : ""}`;
  return { kind: "code", what, place: path };
}

function packageItem({ name, version }: LockedPackage): TrustItem {
  return { kind: "code", what: `package ${name} ${version}, for its extensions`, place: `node_modules/${name}` };
}
