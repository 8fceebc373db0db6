import { dirname, resolve } from "node:path";
import type { Admission } from "@scorel/trust/loader";
import { extended, parseLayer } from "./layer.ts";
import { fileAt, isPath } from "./preset-file.ts";

/** Admits the presets that the user trusts; with `trust`, all presets. The first call loads the plugin `trust`. */
export function createAdmission(trust = false): Admission {
  let real: Admission | undefined;
  return {
    get notices() {
      return real?.notices ?? [];
    },
    async admit(file) {
      real ??= (await import("@scorel/trust/admission")).createAdmission({ builtOn }, trust);
      return await real.admit(file);
    },
  };
}

/** Admits every preset, read from its own folder, for showing presets without running their code. */
export const lookingOnly: Admission = { admit: (file) => dirname(file), notices: [] };

/** The files that a preset extends by path. Empty for invalid TOML, which is reported when the preset is read. */
export function builtOn(path: string, bytes: Buffer): string[] {
  try {
    const layer = parseLayer(bytes.toString("utf8"), path, "user");
    return extended(layer).flatMap(([preset]) => (isPath(preset) ? fileAt(resolve(dirname(path), preset)) : []));
  } catch {
    return [];
  }
}
