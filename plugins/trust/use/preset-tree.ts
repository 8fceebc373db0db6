import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { presetFile } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { readBytes, type Tree, treeOf } from "@scorel/kit/files/tree";
import type { LayerKnowledge } from "../loader.ts";
import { readTrustTree, untrustable } from "../read-tree.ts";
import type { PresetTarget } from "../targets.ts";

/** The git history is not part of a preset: it can change while the preset stays the same. */
const skipped = [".git"];

type Layers = Pick<LayerKnowledge, "builtOn">;

/**
 * Reads every file that a preset may use: for a folder, all files in it; for a single file, also the files that it builds on by
 * path. Throws TRUST_TREE.
 */
export function readPresetTree({ folder, entry, isPackage }: PresetTarget, layers: Layers): Tree {
  return isPackage ? readTrustTree(folder, [folder], skipped) : treeOf(folder, readChain(folder, entry, layers));
}

/**
 * A preset's file and those that it builds on. Files outside of the folder are left out, since reading the preset
 * refuses them anyway.
 */
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
