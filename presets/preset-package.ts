import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { canonical, groundOf, isWithin, userDir } from "./paths.ts";
import { assertPrivate, closeToOthers } from "./private-folder.ts";

/** The file that makes a folder a preset. */
export const packageFile = "preset.toml";

/** A preset that is named by its path, as far as trust goes. Its paths are canonical. */
export interface PresetGround {
  /** What trust is given to: the folder of a preset that is one, else the file. */
  path: string;
  folder: string;
  /** The name of the file in its folder. */
  entry: string;
  isPackage: boolean;
}

/** What there is to trust when a preset is named by this file. */
export function presetGroundOf(file: string): PresetGround {
  const [folder, entry] = [dirname(file), basename(file)];
  const isPackage = entry === packageFile;
  return { path: isPackage ? folder : file, folder, entry, isPackage };
}

/**
 * The preset that a user means by the path of a file or folder, where it needs trust of its own; undefined for everything
 * else, and for a folder that is first of all a project with things to trust.
 */
export function presetAt(path: string): PresetGround | undefined {
  const real = canonical(path);
  if (real.split(sep).includes(".scorel")) return undefined;
  const isFolder = statSync(real, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (!isFolder) return real.endsWith(".toml") && existsSync(real) ? presetGroundOf(real) : undefined;
  const file = join(real, packageFile);
  return existsSync(file) && groundOf(real)?.path !== real ? presetGroundOf(file) : undefined;
}

/**
 * Where the bytes of a preset are read that is a folder in ~/.scorel. Throws EXTENSION_FOLDER when others than this user
 * could have put code into it.
 */
export async function userPackage(folder: string): Promise<string> {
  const presets = join(userDir(), "presets");
  const folders = isWithin(presets, folder) ? [userDir(), presets, folder] : [folder];
  for (const each of folders) {
    assertPrivate(each);
    closeToOthers(each);
  }
  return folder;
}
