import { readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { isOutOfRoom } from "../values/coded-error.ts";

/**
 * Adds to the system's error for a disk without room which file could not be written, which it does not say of a write to an open file.
 * `messageOf` then names it. Returns what was thrown.
 */
export function naming(path: string, thrown: unknown): unknown {
  return isOutOfRoom(thrown) ? Object.assign(thrown as Error, { path: realPath(path) }) : thrown;
}

/** Runs `work`, which writes to `path`, and names the path when the disk has no room. */
export function writingTo<R>(path: string, work: () => R): R {
  try {
    return work();
  } catch (thrown) {
    throw naming(path, thrown);
  }
}

/** A path that leads through an open folder as people know it. */
function realPath(path: string): string {
  const [, descriptor, rest = ""] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/.exec(path) ?? [];
  if (descriptor === undefined) return path;
  try {
    return `${readlinkSync(descriptor)}${rest}`;
  } catch {
    return dirname(path);
  }
}
