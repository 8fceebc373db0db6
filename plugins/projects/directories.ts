import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Operations } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { typedPath } from "@scorel/kit/files/typed-path";
import { isVisibleIn, settledPath } from "@scorel/kit/files/visible";
import { errors } from "./errors.ts";

const MOST = 1000;

/**
 * Lists directories, for clients that choose one to work in. `given` are the directories below which they may look. Throws PROJECT_OUTSIDE
 * for all other directories, whether they exist or not, and PROJECT_DIRECTORY.
 */
export async function listDirectories(
  given: readonly string[],
  wanted = "",
): Promise<Operations["list_directories"]["result"]> {
  const all = given.map((root) => typedPath(root, homedir()));
  const roots = (await Promise.all(all.map((root) => realpath(root).catch(() => [])))).flat();
  const path = resolve(roots[0] ?? homedir(), wanted);
  const isInside = (directory: string) => roots.some((root) => isVisibleIn(root, directory));
  const directory = settledPath(path);
  if (directory === undefined || !isInside(directory)) throw errors.PROJECT_OUTSIDE({ path, roots });
  const entries = await entriesOf(directory);
  // The directory may have been replaced with a link meanwhile.
  if ((await realpath(directory).catch(() => undefined)) !== directory) throw errors.PROJECT_OUTSIDE({ path, roots });
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1));
  const parent = isInside(dirname(directory)) ? dirname(directory) : null;
  return { directory, parent, roots, names: names.slice(0, MOST), more: names.length > MOST };
}

async function entriesOf(path: string): Promise<Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch (thrown) {
    throw errors.PROJECT_DIRECTORY({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function reasonOf(thrown: unknown): string {
  const known: Record<string, string> = { ENOENT: "it does not exist", ENOTDIR: "it is not a directory" };
  return known[codeOf(thrown)] ?? codeOf(thrown);
}
