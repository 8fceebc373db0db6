import type { Tree } from "@scorel/kit/files/tree";
import type { TrustItem } from "@scorel/trust/contract";
import type { LockedPackage } from "../contract.ts";
import type { PresetKnowledge } from "./knowledge.ts";
import { npmItem } from "./npm-item.ts";

interface About {
  name: string;
  packages: readonly LockedPackage[];
  known: PresetKnowledge;
}

/** Everything a preset contains, with what each item could do. Code is judged by its text and never run. */
export async function presetItems(tree: Tree, { name, packages, known }: About): Promise<TrustItem[]> {
  const own = new Map([...tree.files].filter(([path]) => !path.startsWith("node_modules/")));
  const code = [...own].filter(([path]) => extensionOf(path) !== undefined);
  const words = [...own.keys()].filter((path) => /^instructions\/[^/]+\.md$/.test(path));
  for (const path of [...code.map(([path]) => path), ...words]) own.delete(path);
  return [
    ...(await known.items({ ...tree, files: own }, name)),
    ...words.map((place): TrustItem => ({ kind: "instructions", what: "instructions for each session", place })),
    ...(
      await Promise.all(
        code.map(([path, bytes]) =>
          known.review(extensionOf(path) ?? path, [{ path, source: bytes.toString("utf8") }], "other"),
        ),
      )
    ).flat(),
    ...npmItem(packages),
  ];
}

/** The id of the extension that has this entry file. */
function extensionOf(path: string): string | undefined {
  return /^extensions\/([^/]+?)(?:\/index)?\.m?[jt]s$/.exec(path)?.[1];
}
