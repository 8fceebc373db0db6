import { join, relative, sep } from "node:path";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { assertPrivate, closeToOthers } from "@scorel/kit/files/private-folder";
import { isAnyInstalled, isAnyStaged } from "./lock.ts";

export { ownPackages } from "./own-packages.ts";

/**
 * Where to read a preset that is a folder in ~/.scorel. An installed preset is read from a private copy of what was installed.
 * Throws PRESET_CHANGED, and EXTENSION_FOLDER when other users could have written into a folder of ~/.scorel/presets.
 */
export async function userPackage(folder: string): Promise<string> {
  const presets = presetsDir();
  const folders = isWithin(presets, folder) ? [userDir(), presets, folder] : [folder];
  for (const each of folders) {
    assertPrivate(each);
    closeToOthers(each);
  }
  return (await installedRoot(canonical(presets), canonical(folder))) ?? folder;
}

/** Where to read another file of an installed preset; any other path is returned unchanged. Throws PRESET_CHANGED. */
export async function installedFile(path: string): Promise<string> {
  const presets = canonical(presetsDir());
  const real = canonical(path);
  return (isWithin(presets, real) ? await installedRoot(presets, real) : undefined) ?? path;
}

/** Finishes an interrupted `scorel preset`, before presets are searched. */
export async function settleInstalls(): Promise<void> {
  if (isAnyStaged()) await (await import("./steps.ts")).settle();
}

/** Throws PRESET_CHANGED for an installed preset whose folder is missing, since no search finds it. */
export async function assertNotLost(name: string): Promise<void> {
  if (isAnyInstalled()) await (await import("./verify.ts")).verifiedPreset(name);
}

/** Loads the store only when something is installed. */
async function installedRoot(presets: string, path: string): Promise<string | undefined> {
  if (!isAnyInstalled()) return undefined;
  const [name = "", ...inside] = relative(presets, path).split(sep);
  const root = await (await import("./verify.ts")).verifiedPreset(name);
  return root === undefined ? undefined : join(root, ...inside);
}
