import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/** The path of Chromium on this machine; undefined if there is none. */
export function findChromium(): string | undefined {
  return find(NAMES);
}

/**
 * The path of a Chromium for tests of pages. The headless shell is preferred: it has the same engine and needs a third
 * less processor time, but lacks functions of the browser around the page, such as notifications.
 */
export function findPageBrowser(): string | undefined {
  return find(["chromium-headless-shell", ...NAMES]);
}

/** The first of these programs that is in a folder of PATH. */
function find(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
