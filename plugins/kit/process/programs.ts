import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { rootsAround } from "../files/home.ts";
import { canonical, isWithin } from "../files/paths.ts";
import { repositoryAt } from "../files/repository.ts";

/** The path of the file that runs as a program of this name, from the folders of a PATH; undefined if none of them has it. */
export function findProgram(name: string, path = process.env.PATH ?? ""): string | undefined {
  const endings = process.platform === "win32" ? (process.env.PATHEXT ?? ".EXE;.CMD;.BAT").split(";") : [""];
  return foldersOf(path)
    .flatMap((folder) => endings.map((ending) => join(folder, name + ending)))
    .find(isProgram);
}

/** Whether a path is a file that this user may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // The file is missing or not executable.
    return false;
  }
}

/**
 * The folders of a PATH with the user's own programs. Left out are folders that a repository may fill: relative ones, those of
 * packages (`node_modules`), and those of the repositories around `directory`, by default the current one, with all their worktrees.
 * `npx`, direnv and scripts of package.json put such folders first, and Scorel must not run a project's `git` before the user trusts the
 * project.
 */
export function ownFolders(path: string | undefined, directory = currentFolder()): string[] {
  const isForeign = foreignTo(directory);
  return foldersOf(path).filter((folder) => !isForeign(folder));
}

/** A PATH of the folders of `ownFolders`. */
export function ownPath(path: string | undefined, directory = currentFolder()): string {
  return ownFolders(path, directory).join(delimiter);
}

/**
 * The file that runs as a program of this name, if the project around `directory` may have put it there. In a relative folder of the
 * PATH, it may exist: that depends on where the program is started.
 */
export function foreignProgram(
  name: string,
  path: string | undefined,
  directory = currentFolder(),
): string | undefined {
  const isForeign = foreignTo(directory);
  // A shell takes an empty folder for the current one.
  const folders = path === undefined ? [] : path.split(delimiter);
  if (!folders.some(isForeign)) return undefined;
  const first = folders.find((folder) => !isAbsolute(folder) || findProgram(name, folder) !== undefined);
  return first !== undefined && isForeign(first) ? join(first, name) : undefined;
}

/** Tells which folders of a PATH the repositories around `directory` may fill, in any of their worktrees. */
function foreignTo(directory: string | undefined): (folder: string) => boolean {
  const projects = directory === undefined ? [] : projectsAround(canonical(directory));
  const shared = new Set(projects.map((project) => repositoryAt(project)?.common));
  shared.delete(undefined);
  const isTheirs = (folder: string) =>
    projects.some((project) => isWithin(project, folder)) || (shared.size > 0 && shared.has(commonAround(folder)));
  return (folder) =>
    !isAbsolute(folder) ||
    /[\\/]node_modules(?:[\\/]|$)/.test(folder) ||
    (projects.length > 0 && (isTheirs(folder) || isTheirs(canonical(folder))));
}

/**
 * The repositories around a folder, else the folder itself. The home folder and those above it are none: they are the user's own.
 */
function projectsAround(directory: string): string[] {
  const home = knownHome();
  if (home === undefined) return [directory];
  const roots = rootsAround(directory);
  return (roots.length > 0 ? roots : [directory]).filter((project) => !isWithin(project, canonical(home)));
}

/** The git folder that the worktrees of the innermost repository around a folder share. */
function commonAround(folder: string): string | undefined {
  const [root] = knownHome() === undefined ? [] : rootsAround(folder);
  return root === undefined ? undefined : repositoryAt(root)?.common;
}

/** The user's home folder. A missing or relative one, for which this is undefined, is reported where files in it are used. */
function knownHome(): string | undefined {
  try {
    const home = homedir();
    return isAbsolute(home) ? home : undefined;
  } catch {
    return undefined;
  }
}

/** The current folder; undefined if it was deleted. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function foldersOf(path = ""): string[] {
  return path.split(delimiter).filter((folder) => folder !== "");
}
