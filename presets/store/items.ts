import type { ExtensionFacts } from "@scorel/extensions/facts";
import type { LockedPackage } from "@scorel/packages/contract";
import type { TrustItem } from "@scorel/trust/contract";
import type { Asked } from "../composition/asked.ts";
import { knownWords } from "../composition/hints.ts";
import { itemsOfPreset } from "../trust/items.ts";
import type { Tree } from "../trust/tree.ts";

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
  const { extensionFacts } = await import("@scorel/extensions/facts");
  const factsOf = (bytes: Buffer) => extensionFacts(bytes.toString("utf8"), knownWords);
  for (const path of [...code.map(([path]) => path), ...words]) own.delete(path);
  return [
    ...(await itemsOfPreset({ ...tree, files: own }, name, asked)),
    ...words.map((place): TrustItem => ({ kind: "instructions", what: "instructions for each session", place })),
    ...code.map(([path, bytes]) => codeItem(path, factsOf(bytes))),
    ...packages.map((each) => packageItem(each)),
  ];
}

/** The id of an extension whose entry this is. */
function extensionOf(path: string): string | undefined {
  return /^extensions\/([^/]+?)(?:\/index)?\.m?[jt]s$/.exec(path)?.[1];
}

function codeItem(path: string, { contributes, hooks, host, imports }: ExtensionFacts): TrustItem {
  const facts = [
    host ? "asks to run once per process, which a preset's may not, and is left out" : "",
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
