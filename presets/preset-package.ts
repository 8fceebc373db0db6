import { join } from "node:path";
import { isWithin, userDir } from "./paths.ts";
import { assertPrivate, closeToOthers } from "./private-folder.ts";

/** The file that makes a folder a preset. */
export const packageFile = "preset.toml";

/**
 * Where the bytes of a preset are read that is a folder, and none of a project. Throws EXTENSION_FOLDER when others than
 * this user could have put code into one of ~/.scorel/presets.
 */
export async function userPackage(folder: string): Promise<string> {
  const presets = join(userDir(), "presets");
  if (!isWithin(presets, folder)) return folder;
  for (const each of [userDir(), presets, folder]) {
    assertPrivate(each);
    closeToOthers(each);
  }
  return folder;
}
