import { realpathSync } from "node:fs";
import { sep } from "node:path";

/** Whether `path` is `folder` or is below it. Compares absolute paths as text; links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
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
