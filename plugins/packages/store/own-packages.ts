import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { presetFile, presetsDir } from "@scorel/kit/files/home";
import { canonical } from "@scorel/kit/files/paths";
import type { PresetPackage } from "@scorel/workspace/contract";
import { presets } from "./kinds.ts";
import { entryOf, lockNow } from "./lock.ts";

/** Preset folders that the user put into ~/.scorel/presets by hand. The lock file has no hashes of their files. */
export function ownPackages(): PresetPackage[] {
  const dir = presetsDir();
  if (!existsSync(dir)) return [];
  const lock = lockNow(presets);
  return readdirSync(dir)
    .filter((name) => existsSync(join(dir, name, presetFile)) && !entryOf(lock, name))
    .map((name) => ({ name, folder: join(dir, name), root: canonical(join(dir, name)) }));
}
