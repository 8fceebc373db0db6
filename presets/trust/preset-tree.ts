import { existsSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { type Layer, parseLayer } from "../layers/layer.ts";
import { extended } from "../layers/layers.ts";
import { fileAt, isPath } from "../layers/preset-file.ts";
import { type PresetGround, packageFile } from "../store/package.ts";
import { readBytes, readTree, type Tree, treeOf } from "./tree.ts";

/** The history of a preset is no part of it, and changes when the preset does not. */
const options = { skipped: [".git"] };

/**
 * Every file that a preset named by its path may use, read once: of a folder all of it, of a file alone also those that it
 * builds on by path. Throws TRUST_TREE.
 */
export function readPresetTree({ folder, entry, isPackage }: PresetGround): Tree {
  return isPackage ? readTree(folder, [folder], options) : treeOf(folder, readChain(folder, entry));
}

/** What it names outside of its folder is refused when it is read, so it is left out here. */
function readChain(folder: string, entry: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const visit = (path: string): void => {
    const name = relative(folder, path).split(sep).join("/");
    if (files.has(name) || !existsSync(path) || !isWithin(folder, canonical(path))) return;
    if (path.endsWith(`${sep}${packageFile}`))
      for (const [each, bytes] of readTree(folder, [dirname(path)], options).files) files.set(each, bytes);
    const bytes = files.get(name) ?? readBytes(path);
    files.set(name, bytes);
    for (const next of pathsIn(bytes, path)) visit(next);
  };
  visit(join(folder, entry));
  return files;
}

function pathsIn(bytes: Buffer, path: string): string[] {
  const layer = layerOf(bytes, path);
  const named = layer ? extended(layer) : [];
  return named.flatMap(([preset]) => (isPath(preset) ? fileAt(resolve(dirname(path), preset)) : []));
}

/** What is no TOML builds on nothing; reading it says so. */
function layerOf(bytes: Buffer, path: string): Layer | undefined {
  try {
    return parseLayer(bytes.toString("utf8"), path, "user");
  } catch {
    return undefined;
  }
}
