import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { errors } from "../errors.ts";
import { codeOf, isOutOfRoom, messageOf } from "../values/coded-error.ts";
import { makeFolder } from "./make-folder.ts";
import { removeIfPresent } from "./private.ts";
import { naming } from "./room.ts";
import { weaknessOf } from "./weakness.ts";

const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = constants;

/** A folder with files of running processes or keys, opened without following a link. */
export interface StateFolder {
  names(): string[];
  /** The path of a file in the folder. On Linux it leads through the open folder, and so never into a folder that has replaced it. */
  at(name: string): string;
  /** Removes the file with this name, if it exists. A link is removed, not its target. */
  remove(name: string): void;
}

/**
 * Calls `work` with an opened state folder. Returns undefined if the folder does not exist. Throws STATE_FOLDER for a link, and for a
 * folder that another user owns or can write to.
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
    throw asKnown(path, opened, thrown);
  }
  if (!(result instanceof Promise)) {
    end();
    return result;
  }
  const known = (thrown: unknown) => Promise.reject(asKnown(path, opened, thrown));
  return result.catch(known).finally(end) as R;
}

/** Names the folder by its own path, rather than by that of its descriptor, in an error of work with its files. */
function asKnown(path: string, opened: number, thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const error = thrown as NodeJS.ErrnoException & { dest?: string };
  const known = (text: string) => text.replaceAll(`${throughOf(opened)}/`, `${path}/`);
  error.message = known(error.message);
  if (error.path !== undefined) error.path = known(error.path);
  if (error.dest !== undefined) error.dest = known(error.dest);
  return error;
}

function throughOf(opened: number): string {
  return `/proc/self/fd/${opened}`;
}

/** Same as `inStateFolder`, but creates a missing folder, and makes sure that only this user can enter it. Throws STATE_NEW. */
export function inOwnFolder<R>(path: string, work: (folder: StateFolder) => R): R {
  make(path);
  const opened = openFolder(path, { closed: true });
  if (opened === undefined)
    throw errors.STATE_FOLDER({ path, reason: "was removed at the same moment", command: `mkdir -m 700 '${path}'` });
  return within(path, opened, work);
}

function make(path: string): void {
  try {
    makeFolder(path);
  } catch (thrown) {
    throw isOutOfRoom(thrown)
      ? naming(path, thrown)
      : errors.STATE_NEW({ path, reason: messageOf(thrown) }, { cause: thrown });
  }
}

/** Whether a state folder exists, and no other user owns it or can write to it. */
export function isOwnFolder(path: string): boolean {
  const stats = statsOf(path);
  return stats !== undefined && weaknessOf(path, stats) === undefined;
}

/** Removes a file from a state folder. Does nothing if another user owns the folder or can write to it. */
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
    const stats = statsOf(path);
    if (!stats) return undefined;
    const weakness = weaknessOf(path, stats);
    throw weakness ? errors.STATE_FOLDER({ path, ...weakness }, { cause: thrown }) : thrown;
  }
}

function folderOf(path: string, opened: number): StateFolder {
  const through = throughOf(opened);
  const base = process.platform === "linux" && existsSync(through) ? through : path;
  return {
    names: () => readdirSync(base),
    at: (name) => join(base, name),
    remove: (name) => removeIfPresent(join(base, name)),
  };
}

/** Undefined if there is nothing at the path, also because a folder above is a file, such as a HOME that is none. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
