import { existsSync } from "node:fs";
import { presetsDir } from "@scorel/kit/files/home";
import { canonical, isWithin } from "@scorel/kit/files/paths";

/** The code for installed presets, loaded only if the user has a presets folder. */
const packages = () => import("@scorel/packages/installed");

/** Completes installations that were interrupted; called before presets are searched. */
export async function settleInstalls(): Promise<void> {
  if (existsSync(presetsDir())) await (await packages()).settleInstalls();
}

/** Throws PRESET_CHANGED if an installed preset's folder is missing. */
export async function assertNotLost(name: string): Promise<void> {
  if (existsSync(presetsDir())) await (await packages()).assertNotLost(name);
}

/** The folder to read a preset folder in ~/.scorel from. Throws EXTENSION_FOLDER and PRESET_CHANGED. */
export async function userPackage(folder: string): Promise<string> {
  return await (await packages()).userPackage(folder);
}

/** The path to read a file of an installed preset from; any other path is returned unchanged. Throws PRESET_CHANGED. */
export async function installedFile(path: string): Promise<string> {
  return isWithin(canonical(presetsDir()), canonical(path)) ? await (await packages()).installedFile(path) : path;
}
