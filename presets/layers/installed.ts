import { existsSync } from "node:fs";
import { presetsDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";

/** What knows of installed presets; people who have no presets of their own never load it. */
const packages = () => import("@scorel/packages/installed");

/** Finishes what an interrupted `scorel preset` has begun, before anyone looks for presets. */
export async function settleInstalls(): Promise<void> {
  if (existsSync(presetsDir())) await (await packages()).settleInstalls();
}

/** Throws PRESET_CHANGED for an installed preset whose folder is gone, which no search finds. */
export async function assertNotLost(name: string): Promise<void> {
  if (existsSync(presetsDir())) await (await packages()).assertNotLost(name);
}

/** Where the bytes of a preset are read that is a folder in ~/.scorel. Throws EXTENSION_FOLDER and PRESET_CHANGED. */
export async function userPackage(folder: string): Promise<string> {
  return await (await packages()).userPackage(folder);
}

/** Where another file of a preset is read that is installed; any other file as it is. Throws PRESET_CHANGED. */
export async function installedFile(path: string): Promise<string> {
  return isWithin(canonical(presetsDir()), canonical(path)) ? await (await packages()).installedFile(path) : path;
}
