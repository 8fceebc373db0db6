import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { presetFile } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { readBytes, type Tree, treeOf } from "@scorel/kit/files/tree";
import type { PresetGround } from "../grounds.ts";
import type { LayerKnowledge } from "../loader.ts";
import { readTrustTree, untrustable } from "../read-tree.ts";

/** The history of a preset is no part of it, and changes when the preset does not. */
const skipped = [".git"];

type Layers = Pick<LayerKnowledge, "builtOn">;

/**
 * Every file that a preset named by its path may use, read once: of a folder all of it, of a file alone also those that it
 * builds on by path. Throws TRUST_TREE.
 */
export function readPresetTree({ folder, entry, isPackage }: PresetGround, layers: Layers): Tree {
  return isPackage ? readTrustTree(folder, [folder], skipped) : treeOf(folder, readChain(folder, entry, layers));
}

/** Files outside of the folder are left out: they are refused when the preset is read. */
function readChain(folder: string, entry: string, { builtOn }: Layers): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const visit = (path: string): void => {
    const name = relative(folder, path).split(sep).join("/");
    if (files.has(name) || !existsSync(path) || !isWithin(folder, canonical(path))) return;
    if (path.endsWith(`${sep}${presetFile}`))
      for (const [each, bytes] of readTrustTree(folder, [dirname(path)], skipped).files) files.set(each, bytes);
    const bytes = files.get(name) ?? readBytes(path, untrustable);
    files.set(name, bytes);
    for (const next of builtOn(path, bytes)) visit(next);
  };
  visit(join(folder, entry));
  return files;
}
