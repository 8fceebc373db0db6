import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Skill } from "./contract.ts";
import { shipped } from "./library/shipped.ts";

/** Next to `plugins` in the sources, and next to `dist` in the package. */
export const shippedFolder = fileURLToPath(new URL("../../skills", import.meta.url));

/** Skills about Scorel itself, which are listed only after a message about it. */
const ABOUT_SCOREL = new Set(["compose-preset", "debug-session", "write-scorel-extension"]);

/** The skills that come with Scorel, from a generated list, without reading files. */
export function shippedSkills(): Skill[] {
  const root = shipped.length === 0 ? shippedFolder : realpathSync(shippedFolder);
  return shipped.map(({ name, description, digest }) => {
    const folder = join(root, name);
    return {
      name,
      description,
      digest,
      source: "shipped",
      folder,
      files: folder,
      file: "SKILL.md",
      root,
      warnings: [],
      ...(ABOUT_SCOREL.has(name) && { isUnlisted: true as const }),
    };
  });
}
