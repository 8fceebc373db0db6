import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Skill } from "./contract.ts";
import { shipped } from "./shipped.ts";

/** Beside `plugins` in the sources, and beside `dist` in the package. */
export const shippedFolder = fileURLToPath(new URL("../../skills", import.meta.url));

/** Few sessions are about Scorel itself: these are listed once a message is. */
const ABOUT_SCOREL = new Set(["compose-preset", "debug-session", "write-scorel-extension"]);

/** The skills that come with Scorel; none of them is read for that. */
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
