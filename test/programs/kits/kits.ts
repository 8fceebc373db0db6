import { existsSync } from "node:fs";
import { join } from "node:path";

/**
 * The folder with the test kits and servers of other projects, and with a newer Node that some of them need. In the CI,
 * `.ci/run` installs them; elsewhere run `xargs npm install --prefix <folder> < test/programs/kits/packages` and set
 * SCOREL_TEST_KITS=<folder>.
 */
const folder = process.env.SCOREL_TEST_KITS ?? "";

/** The path of a file in a package of that folder. */
export const inKits = (path: string): string => join(folder, "node_modules", path);

export const newerNode = inKits("node/bin/node");

/** Why the kits cannot be used here; undefined if they can. */
export function problemWithKits(): string | undefined {
  if (folder === "") return "SCOREL_TEST_KITS does not say where they are";
  return existsSync(newerNode) ? undefined : `they are not in ${folder}`;
}
