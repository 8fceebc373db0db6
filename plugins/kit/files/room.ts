import { readlinkSync } from "node:fs";
import { dirname } from "node:path";
import { isOutOfRoom } from "../values/coded-error.ts";

/**
 * Adds the path of the file to the system's error for a full disk, because the error of a write to an open file does not name it.
 * `messageOf` then shows the path. Returns `thrown`, unchanged if it is any other value.
 */
export function naming(path: string, thrown: unknown): unknown {
  return isOutOfRoom(thrown) ? Object.assign(thrown as Error, { path: realPath(path) }) : thrown;
}

/** Runs `work`, which writes to `path`. If the disk is full, the error names the path. */
export function writingTo<R>(path: string, work: () => R): R {
  try {
    return work();
  } catch (thrown) {
    throw naming(path, thrown);
  }
}

/** Writes something that is not necessary, such as a cache, unless the disk is full. Returns whether it was written. */
export function withRoom(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (thrown) {
    if (!isOutOfRoom(thrown)) throw thrown;
    return false;
  }
}

/** Replaces the prefix `/proc/self/fd/<n>` of a path by the folder that it stands for, as people know the path. */
function realPath(path: string): string {
  const [, descriptor, rest = ""] = /^(\/proc\/self\/fd\/\d+)(\/.*)?$/.exec(path) ?? [];
  if (descriptor === undefined) return path;
  try {
    return `${readlinkSync(descriptor)}${rest}`;
  } catch {
    return dirname(path);
  }
}
