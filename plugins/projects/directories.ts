import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Operations } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { errors } from "./errors.ts";

const MOST = 1000;

/**
 * Lists directories for clients that choose one to work in. `given` are the directories below which they may look. Throws
 * PROJECT_OUTSIDE, also for what does not exist elsewhere, and PROJECT_DIRECTORY.
 */
export async function listDirectories(
  given: readonly string[],
  wanted = "",
): Promise<Operations["list_directories"]["result"]> {
  const all = given.map((root) => resolve(homedir(), root.replace(/^~(?=\/|$)/, homedir())));
  const roots = (await Promise.all(all.map((root) => realpath(root).catch(() => [])))).flat();
  const path = resolve(roots[0] ?? homedir(), wanted);
  const isInside = (directory: string) =>
    roots.some((root) => isWithin(root, directory) && !isHidden(directory.slice(root.length)));
  const directory = await realpath(path).catch(async (thrown) => {
    if (!isInside(await nearest(path))) throw errors.PROJECT_OUTSIDE({ path, roots });
    throw errors.PROJECT_DIRECTORY({ path, reason: reasonOf(thrown) }, { cause: thrown });
  });
  if (!isInside(directory)) throw errors.PROJECT_OUTSIDE({ path, roots });
  const entries = await entriesOf(directory);
  // Somebody may have put a link in its place meanwhile.
  if ((await realpath(directory).catch(() => undefined)) !== directory) throw errors.PROJECT_OUTSIDE({ path, roots });
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1));
  const parent = isInside(dirname(directory)) ? dirname(directory) : null;
  return { directory, parent, roots, names: names.slice(0, MOST), more: names.length > MOST };
}

/** Whether a path leads into a hidden folder; these contain programs' keys and settings. */
function isHidden(path: string): boolean {
  return path.split("/").some((part) => part.startsWith("."));
}

/** The real path of the nearest directory above a path that exists. */
async function nearest(path: string): Promise<string> {
  const above = dirname(path);
  return above === path ? path : realpath(above).catch(() => nearest(above));
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (thrown) {
    throw errors.PROJECT_DIRECTORY({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function reasonOf(thrown: unknown): string {
  const known: Record<string, string> = { ENOENT: "it does not exist", ENOTDIR: "it is no directory" };
  return known[codeOf(thrown)] ?? codeOf(thrown);
}
