import { lstatSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { isWithin, realOf } from "./paths.ts";

/**
 * The path with all links resolved, also if the file or its last folders do not exist yet. Undefined for a relative path, and for one
 * that leads through a broken link: a file created there would end up elsewhere.
 */
export function settledPath(path: string): string | undefined {
  if (!isAbsolute(path) || path.includes("\0")) return undefined;
  const whole = resolve(path);
  const real = realOf(whole);
  if (real !== undefined) return real;
  if (isLink(whole)) return undefined;
  const folder = dirname(whole) === whole ? undefined : settledPath(dirname(whole));
  return folder === undefined ? undefined : join(folder, basename(whole));
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // The path does not exist, or cannot be accessed.
    return false;
  }
}

/**
 * Whether a path is `folder` or below it, and not in a folder below it whose name begins with a dot: such folders contain programs'
 * keys and settings. Compares real paths as text.
 */
export function isVisibleIn(folder: string, path: string): boolean {
  return (
    isWithin(folder, path) &&
    !path
      .slice(folder.length)
      .split(sep)
      .some((part) => part.startsWith("."))
  );
}
