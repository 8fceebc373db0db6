import { realpathSync } from "node:fs";
import { sep } from "node:path";

/** Whether `path` is `folder` or lies below it. Compares names only: both are absolute, and links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The path without links; undefined when it does not exist or may not be looked at. */
export function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The path without links where that can be told, else the path as it is. */
export function canonical(path: string): string {
  return realOf(path) ?? path;
}
