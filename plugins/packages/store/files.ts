import { join, relative, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { presetsDir, userDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";
import { assertPrivate, closeToOthers } from "@scorel/kit/files/private-folder";
import { presets } from "./kinds.ts";
import { isAnyInstalled, isAnyStaged } from "./lock.ts";

export { ownPackages } from "./own-packages.ts";

/**
 * Where to read a preset that is a folder in ~/.scorel. An installed preset is read from a private copy of the
 * installed bytes. Throws PRESET_CHANGED, and EXTENSION_FOLDER when other users could have written into a folder of
 * ~/.scorel/presets.
 */
export async function userPackage(folder: string): Promise<string> {
  const dir = presetsDir();
  const folders = isWithin(dir, folder) ? [userDir(), dir, folder] : [folder];
  for (const each of folders) {
    assertPrivate(each);
    closeToOthers(each);
  }
  return (await installedRoot(canonical(dir), canonical(folder))) ?? folder;
}

/** Where to read another file of an installed preset; any other path is returned unchanged. Throws PRESET_CHANGED. */
export async function installedFile(path: string): Promise<string> {
  const dir = canonical(presetsDir());
  const real = canonical(path);
  return (isWithin(dir, real) ? await installedRoot(dir, real) : undefined) ?? path;
}

/** Finishes an interrupted `scorel preset` command, before presets are searched. */
export async function settleInstalls(): Promise<void> {
  if (!isAnyStaged(presets)) return;
  try {
    await (await import("./steps.ts")).settle(presets);
  } catch (thrown) {
    // The package is refused when it is used. Others, and the commands that repair it, must work.
    if (codeOf(thrown) !== "PACKAGES_UNFINISHED") throw thrown;
  }
}

/** Throws PRESET_CHANGED for an installed preset whose folder is missing, since no search finds it. */
export async function assertNotLost(name: string): Promise<void> {
  if (isAnyInstalled(presets)) await (await import("./verify.ts")).verifiedPackage(presets, name);
}

/** Loads the store only when something is installed. */
async function installedRoot(dir: string, path: string): Promise<string | undefined> {
  if (!isAnyInstalled(presets)) return undefined;
  const [name = "", ...inside] = relative(dir, path).split(sep);
  const root = await (await import("./verify.ts")).verifiedPackage(presets, name);
  return root === undefined ? undefined : join(root, ...inside);
}
