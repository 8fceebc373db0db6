import { dirname, resolve } from "node:path";
import type { Admission } from "@scorel/trust/loader";
import { extended, parseLayer } from "./layer.ts";
import { fileAt, isPath } from "./preset-file.ts";

/** Admits presets as the user trusts them; with `trust`, everything else, too. The plugin `trust` is loaded for the first one. */
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

/** Admits everything where it lies: for looking at a preset, none of whose code is run. */
export const lookingOnly: Admission = { admit: (file) => dirname(file), notices: [] };

/** The files that a preset builds on by their path; none for what is no TOML, which reading it reports. */
export function builtOn(path: string, bytes: Buffer): string[] {
  try {
    const layer = parseLayer(bytes.toString("utf8"), path, "user");
    return extended(layer).flatMap(([preset]) => (isPath(preset) ? fileAt(resolve(dirname(path), preset)) : []));
  } catch {
    return [];
  }
}
