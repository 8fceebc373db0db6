import * as fs from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { type OpenFile, openRegular } from "@scorel/kit/files/open";
import { isWithin } from "@scorel/kit/files/paths";
import { errors } from "../errors.ts";
import { leadsTo } from "./paths.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
/** Opens an unreadable folder so that its mode can be changed. Node has no constant for this flag. */
const O_PATH = 0x200000;
/**
 * Where descriptors have paths, a path through one reaches the opened folder even after it was renamed. On other
 * systems the folders' names are used.
 */
const DESCRIPTORS = ["/proc/self/fd"].find((path) => fs.existsSync(path));
/** Matches a descriptor's path in the text of an error. */
const DESCRIPTOR = /\/proc\/self\/fd\/\d+/g;
/** Programs can nest folders deeper than the longest path; each open folder takes a descriptor. */
export const DEEPEST = 100;

/** An open folder. It stays the same folder even if a program replaces its path meanwhile. */
export interface OpenFolder {
  /** The path of an entry. */
  path(name: string): string;
  /** The entries, sorted by name. Throws as `readdir` does. */
  entries(): fs.Dirent[];
  /** Opens a subfolder, not a link. Throws as `open` does. */
  folder(name: string): OpenFolder;
  /** Returns a file system error with the names of folders in place of their descriptors. */
  named(thrown: unknown): unknown;
  close(): void;
}

/**
 * Runs `work` in a folder at or below `root`; with `make`, missing folders are created. Links that stay within `root` are
 * followed once, before anything is opened. `what` names the folder in errors. Throws RUN_PATH.
 */
export function inOpenFolder<T>(
  root: string,
  path: string,
  what: string,
  work: (dir: OpenFolder) => T,
  make = false,
): T {
  const dir = openPath(root, path, what, make);
  try {
    return work(dir);
  } catch (thrown) {
    throw dir.named(thrown);
  } finally {
    dir.close();
  }
}

/** Opens a regular file below `root` for reading; undefined for anything else, or outside of `root`. */
export function openBelow(root: string, name: string): { fd: number; stat: fs.Stats; real: string } | undefined {
  try {
    const real = fs.realpathSync(join(root, name));
    if (!isWithin(root, real)) return undefined;
    const opened = inOpenFolder(root, dirname(real), "file", (dir) => openIn(dir, basename(real)));
    return opened && { ...opened, real };
  } catch {
    return undefined; // The file was removed or cannot be read.
  }
}

/**
 * Reads a file that must be inside a real folder; this holds even if a program replaces its path meanwhile. Throws
 * RUN_PATH.
 */
export function readWithin(root: string, path: string): Buffer {
  const opened = openBelow(root, relative(root, path));
  if (!opened) throw errors.RUN_PATH({ what: "file", path, reason: "it was removed or replaced" });
  try {
    return fs.readFileSync(opened.fd);
  } finally {
    fs.closeSync(opened.fd);
  }
}

/** Opens a regular file in an open folder; undefined for anything else. Throws as `open` does. */
export function openIn(dir: OpenFolder, name: string): OpenFile | undefined {
  return openRegular(dir.path(name));
}

/**
 * Removes an entry with everything below it, without following links. Entries that are nested too deep are first moved to
 * `aside`, a folder on the same file system that programs cannot reach.
 */
export function remove(dir: OpenFolder, name: string, aside: string): void {
  const spilled: string[] = [];
  removeFrom(dir, name, 0, (path) => {
    const to = join(aside, `deep-${newId()}`);
    fs.renameSync(path, to);
    spilled.push(to);
  });
  for (const path of spilled) inOpenFolder(aside, aside, "folder", (outside) => remove(outside, basename(path), aside));
}

function removeFrom(dir: OpenFolder, name: string, depth: number, spill: (path: string) => void): void {
  const path = dir.path(name);
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isDirectory()) {
    fs.unlinkSync(path);
    return;
  }
  if (depth >= DEEPEST) {
    spill(path);
    return;
  }
  // Entries of a folder without write permission cannot be removed.
  if ((stat.mode & 0o700) !== 0o700) unlock(path);
  const below = dir.folder(name);
  try {
    for (const entry of below.entries()) removeFrom(below, entry.name, depth + 1, spill);
  } finally {
    below.close();
  }
  fs.rmdirSync(path);
}

function unlock(path: string): void {
  if (DESCRIPTORS === undefined) {
    fs.chmodSync(path, 0o700);
    return;
  }
  const fd = fs.openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  try {
    fs.chmodSync(`${DESCRIPTORS}/${fd}`, 0o700);
  } finally {
    fs.closeSync(fd);
  }
}

/** Makes a folder, replacing anything else that a program has put there. */
export function remake(dir: OpenFolder, name: string, aside: string): OpenFolder {
  makeFolder(dir.path(name));
  try {
    return dir.folder(name);
  } catch {
    remove(dir, name, aside);
    makeFolder(dir.path(name));
    return dir.folder(name);
  }
}

/** Opens a folder at or below `root` (both real paths); the caller closes it. `what` names it in errors. Throws RUN_PATH. */
export function openFolder(root: string, path: string, what: string): OpenFolder {
  return openPath(root, path, what, false);
}

function openPath(root: string, path: string, what: string, make: boolean): OpenFolder {
  const fail = (reason: string, cause?: unknown) =>
    errors.RUN_PATH({ what, path: relative(root, path), reason }, { cause });
  let dir: OpenFolder | undefined;
  try {
    const real = leadsTo(path);
    if (!isWithin(root, real)) throw fail("its path contains a link that leads out of the workspace");
    dir = open(root);
    for (const name of relative(root, real).split(sep).filter(Boolean)) {
      if (make) makeFolder(dir.path(name));
      const next = dir.folder(name);
      dir.close();
      dir = next;
    }
    return dir;
  } catch (thrown) {
    dir?.close();
    const named = dir?.named(thrown) ?? thrown;
    const reason = reasons[codeOf(thrown)];
    throw reason === undefined ? named : fail(reason, named);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ELOOP: "its links form a cycle, or it was changed just now",
  ENOTDIR: "a part of its path is not a folder",
  ENOENT: "it does not exist",
  ENAMETOOLONG: "it is too long",
  EACCES: "permission to enter it is denied",
  EROFS: "its file system is read-only",
  ENOSPC: "no room is left on its disk",
  EDQUOT: "this user's share of its disk is used up",
};

/** Opens a folder. `names` maps the descriptors of all folders that were opened from the same one to their names. */
function open(path: string, name = path, names = new Map<string, string>()): OpenFolder {
  if (DESCRIPTORS === undefined) return byName(path);
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const own = `${DESCRIPTORS}/${fd}`;
  names.set(own, name);
  return {
    path: (entry) => `${own}/${entry}`,
    entries: () => entriesOf(`${own}/`),
    folder: (entry) => open(`${own}/${entry}`, join(name, entry), names),
    named: (thrown) => withNames(thrown, names),
    close: () => fs.closeSync(fd),
  };
}

/** Changes the texts of an error in place; a copy would lose its class and its code. */
function withNames(thrown: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const error = thrown as NodeJS.ErrnoException & { dest?: string };
  for (const key of ["message", "stack", "path", "dest"] as const)
    if (typeof error[key] === "string")
      error[key] = error[key].replace(DESCRIPTOR, (descriptor) => names.get(descriptor) ?? descriptor);
  return error;
}

function byName(path: string): OpenFolder {
  if (!fs.lstatSync(path).isDirectory()) throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR" });
  return {
    path: (name) => join(path, name),
    entries: () => entriesOf(path),
    folder: (name) => byName(join(path, name)),
    named: (thrown) => thrown,
    close() {},
  };
}

function entriesOf(path: string): fs.Dirent[] {
  return fs.readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}
