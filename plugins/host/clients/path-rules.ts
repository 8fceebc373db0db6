import { join } from "node:path";
import { isWithin } from "@scorel/kit/files/paths";
import { isVisibleIn, settledPath } from "@scorel/kit/files/visible";
import { homeDirectory, projectRoot } from "../workspace.ts";

/** Folders with files that make git or Scorel run programs. */
const CONTROL = /[\\/]\.(?:git|scorel)[. ]*(?:[\\/]|$)/i;

/** A directory and the project that it is in, as real paths. */
interface Around {
  directory: string;
  root: string;
}

/** Resolves a directory, which need not exist, and finds its project. Undefined if the path cannot be resolved. */
export function projectAround(path: string): Around | undefined {
  const directory = settledPath(path);
  return directory === undefined ? undefined : { directory, root: projectRoot(directory, homeDirectory()) };
}

/**
 * Whether limited clients may name a path in the project `root`: it is inside, not in a hidden folder, and the project does not contain
 * `~/.scorel`.
 */
export function isInProject(root: string, path: string): boolean {
  const [inside, real] = [settledPath(root), settledPath(path)];
  return inside !== undefined && real !== undefined && !containsOwnFiles(inside) && isVisibleIn(inside, real);
}

/** Why a limited client may not work in a directory; undefined if it may. The answer does not reveal whether the directory exists. */
export function directoryFlaw(around: Around | undefined, isKnown: boolean): string | undefined {
  if (around && containsOwnFiles(around.root)) return "the project of this directory contains Scorel's own files";
  if (around && (isWithin(ownFolder(), around.directory) || CONTROL.test(around.directory)))
    return "this directory contains files that control Scorel or git";
  const isOpen = around !== undefined && (isKnown || isVisibleIn(homeDirectory(), around.root));
  if (isOpen) return undefined;
  return "it may work only in projects that this host knows, and below home outside of hidden folders";
}

function containsOwnFiles(root: string): boolean {
  return [homeDirectory(), ownFolder()].some((path) => isWithin(root, path));
}

/** The real path of `~/.scorel`. */
function ownFolder(): string {
  const folder = join(homeDirectory(), ".scorel");
  return settledPath(folder) ?? folder;
}
