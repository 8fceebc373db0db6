import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
} from "node:fs";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { codeOf } from "../values/coded-error.ts";
import { removeIfPresent } from "./private.ts";
import { writingTo } from "./room.ts";
import { weaknessOf } from "./weakness.ts";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;

/** A folder with files of running processes or keys, opened without following a link. */
export interface StateFolder {
  names(): string[];
  /** The path of a file in it. On Linux it leads through the open folder, so another folder that is put in its place is not reached. */
  at(name: string): string;
  /** Removes a file, or a link itself, if there is one of that name. */
  remove(name: string): void;
}

/**
 * Does something with a folder of state. Returns undefined if there is no such folder. Throws STATE_FOLDER for a link, and for a folder
 * that another user owns or can write to.
 */
export function inStateFolder<R>(path: string, work: (folder: StateFolder) => R): R | undefined {
  const opened = openFolder(path);
  return opened === undefined ? undefined : within(path, opened, work);
}

function within<R>(path: string, opened: number, work: (folder: StateFolder) => R): R {
  const end = () => closeSync(opened);
  let result: R;
  try {
    result = work(folderOf(path, opened));
  } catch (thrown) {
    end();
    throw thrown;
  }
  if (!(result instanceof Promise)) {
    end();
    return result;
  }
  return result.finally(end) as R;
}

/** The same as `inStateFolder`, for a folder that is made if it is missing, so that only this user can enter it. */
export function inOwnFolder<R>(path: string, work: (folder: StateFolder) => R): R {
  writingTo(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }));
  const opened = openFolder(path, { closed: true });
  if (opened === undefined)
    throw errors.STATE_FOLDER({ path, reason: "was removed at the same moment", command: `mkdir -m 700 '${path}'` });
  return within(path, opened, work);
}

/** Whether a folder of state exists and can be believed. */
export function isOwnFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && weaknessOf(path, stats) === undefined;
}

/** Removes a file of state. It stays if its folder cannot be believed: then it is another one's. */
export function removeStateFile(folder: string, name: string): void {
  if (isOwnFolder(folder)) inStateFolder(folder, (opened) => opened.remove(name));
}

/** Opens a folder; with `closed`, other users can no longer enter it. The caller closes it. */
function openFolder(path: string, { closed = false } = {}): number | undefined {
  const folder = opened(path);
  if (folder === undefined) return undefined;
  const stats = fstatSync(folder);
  const weakness = weaknessOf(path, stats);
  if (!weakness) {
    if (closed && (stats.mode & 0o077) !== 0 && stats.uid === process.getuid?.()) fchmodSync(folder, 0o700);
    return folder;
  }
  closeSync(folder);
  throw errors.STATE_FOLDER({ path, ...weakness });
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    const stats = lstatSync(path, { throwIfNoEntry: false });
    const weakness = stats && weaknessOf(path, stats);
    throw weakness ? errors.STATE_FOLDER({ path, ...weakness }, { cause: thrown }) : thrown;
  }
}

function folderOf(path: string, opened: number): StateFolder {
  const through = `/proc/self/fd/${opened}`;
  const base = process.platform === "linux" && existsSync(through) ? through : path;
  return {
    names: () => readdirSync(base),
    at: (name) => join(base, name),
    remove: (name) => removeIfPresent(join(base, name)),
  };
}
