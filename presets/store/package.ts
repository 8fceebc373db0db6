import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { groundOf, userDir } from "../paths.ts";
import { assertPrivate, closeToOthers } from "../private-folder.ts";
import { isAnyInstalled, isAnyStaged } from "./lock.ts";

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
 * Where the bytes of a preset are read that is a folder in ~/.scorel: of an installed one, from a private copy of
 * what was installed. Throws EXTENSION_FOLDER when others than this user could have put code into one of ~/.scorel/presets,
 * and PRESET_CHANGED.
 */
export async function userPackage(folder: string): Promise<string> {
  const presets = join(userDir(), "presets");
  const folders = isWithin(presets, folder) ? [userDir(), presets, folder] : [folder];
  for (const each of folders) {
    assertPrivate(each);
    closeToOthers(each);
  }
  return (await installedRoot(canonical(presets), canonical(folder))) ?? folder;
}

/** Where another file of a preset is read that is installed; any other file as it is. Throws PRESET_CHANGED. */
export async function installedFile(path: string): Promise<string> {
  const presets = canonical(join(userDir(), "presets"));
  const real = canonical(path);
  return (isWithin(presets, real) ? await installedRoot(presets, real) : undefined) ?? path;
}

/** Finishes what an interrupted `scorel preset` has begun, before anyone looks for presets. */
export async function settleInstalls(): Promise<void> {
  if (isAnyStaged()) await (await import("./store.ts")).settle();
}

/** Throws PRESET_CHANGED for an installed preset whose folder is gone, which no search finds. */
export async function assertNotLost(name: string): Promise<void> {
  if (isAnyInstalled()) await (await import("./check.ts")).verifiedPreset(name);
}

/** Whoever has installed nothing loads nothing for this. */
async function installedRoot(presets: string, path: string): Promise<string | undefined> {
  if (!isAnyInstalled()) return undefined;
  const [name = "", ...inside] = relative(presets, path).split(sep);
  const root = await (await import("./check.ts")).verifiedPreset(name);
  return root === undefined ? undefined : join(root, ...inside);
}
