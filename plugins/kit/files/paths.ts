import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";

/** Whether `path` is `folder` or is below it. Compares absolute paths as text; links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A directory as seen from another one: the way to it, or its whole path if that is shorter. "" for the same directory. */
export function seenFrom(here: string, directory: string): string {
  const way = relative(here, directory);
  return way.length < directory.length ? way : directory;
}

/** The path with all links resolved; undefined when it does not exist or cannot be accessed. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The path with all links resolved if possible, else the path unchanged. */
export function canonical(path: string): string {
  return realOf(path) ?? path;
}
