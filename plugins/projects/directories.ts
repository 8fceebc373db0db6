import { type Dirent, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Operations } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { errors } from "./errors.ts";

const MOST = 1000;

/** Lists directories for clients without access to this file system. Throws PROJECT_OUTSIDE and PROJECT_DIRECTORY. */
export function listDirectories(wanted?: string): Operations["list_directories"]["result"] {
  const home = real(homedir());
  const directory = real(resolve(home, wanted ?? "."));
  if (!isWithin(home, directory) || isHidden(directory, home)) throw errors.PROJECT_OUTSIDE({ path: directory, home });
  const names = entriesOf(directory)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort((a, b) => (a < b ? -1 : 1));
  const parent = directory === home ? null : dirname(directory);
  return { directory, parent, names: names.slice(0, MOST), more: names.length > MOST };
}

/** True for hidden folders, which contain programs' keys and settings. */
function isHidden(directory: string, home: string): boolean {
  return directory
    .slice(home.length)
    .split("/")
    .some((part) => part.startsWith("."));
}

function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (thrown) {
    throw errors.PROJECT_DIRECTORY({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    throw errors.PROJECT_DIRECTORY({ path, reason: reasonOf(thrown) }, { cause: thrown });
  }
}

function reasonOf(thrown: unknown): string {
  const known: Record<string, string> = { ENOENT: "it does not exist", ENOTDIR: "it is no directory" };
  return known[codeOf(thrown)] ?? codeOf(thrown);
}
