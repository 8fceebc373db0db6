import { join, relative, sep } from "node:path";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { assertPrivate, closeToOthers } from "@scorel/kit/files/private-folder";
import { isAnyInstalled, isAnyStaged } from "./lock.ts";

export { ownPackages } from "./own-packages.ts";

/**
 * Where the bytes of a preset are read that is a folder in ~/.scorel: of an installed one, from a private copy of
 * what was installed. Throws EXTENSION_FOLDER when others than this user could have put code into one of ~/.scorel/presets,
 * and PRESET_CHANGED.
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

/** Where another file of a preset is read that is installed; any other file as it is. Throws PRESET_CHANGED. */
export async function installedFile(path: string): Promise<string> {
  const presets = canonical(presetsDir());
  const real = canonical(path);
  return (isWithin(presets, real) ? await installedRoot(presets, real) : undefined) ?? path;
}

/** Finishes what an interrupted `scorel preset` has begun, before anyone looks for presets. */
export async function settleInstalls(): Promise<void> {
  if (isAnyStaged()) await (await import("./steps.ts")).settle();
}

/** Throws PRESET_CHANGED for an installed preset whose folder is gone, which no search finds. */
export async function assertNotLost(name: string): Promise<void> {
  if (isAnyInstalled()) await (await import("./verify.ts")).verifiedPreset(name);
}

/** Whoever has installed nothing loads nothing for this. */
async function installedRoot(presets: string, path: string): Promise<string | undefined> {
  if (!isAnyInstalled()) return undefined;
  const [name = "", ...inside] = relative(presets, path).split(sep);
  const root = await (await import("./verify.ts")).verifiedPreset(name);
  return root === undefined ? undefined : join(root, ...inside);
}
