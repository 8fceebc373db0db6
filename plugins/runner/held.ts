import * as fs from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { codeOf, newId } from "@scorel/kernel";
import { isWithin } from "@scorel/kit/files/paths";
import { errors } from "./errors.ts";
import { realOf } from "./paths.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Opens what may not be read, for its mode to be changed; Node does not name it. */
const O_PATH = 0x200000;
/** Where a descriptor is a path: what lies there is reached whatever its name has come to mean. Elsewhere names have to do. */
const DESCRIPTORS = ["/proc/self/fd"].find((path) => fs.existsSync(path));
/** Programs can nest folders deeper than any path is long; each that is held takes a descriptor. */
export const DEEPEST = 100;

/** A folder that stays the same one while something is done in it, whatever a program puts in its place meanwhile. */
export interface Held {
  /** Of what has this name in it. */
  path(name: string): string;
  /** By name. Throws as `readdir` does. */
  entries(): fs.Dirent[];
  /** A folder in it, and no link. Throws as `open` does. */
  folder(name: string): Held;
  close(): void;
}

/**
 * Works in a folder at or below `root`; what is missing of it is made where that is asked. Links that stay within `root` are
 * followed once, before anything is opened. `what` names it in errors. Throws RUN_PATH.
 */
export function inHeld<T>(root: string, path: string, what: string, work: (held: Held) => T, make = false): T {
  const held = hold(root, path, what, make);
  try {
    return work(held);
  } finally {
    held.close();
  }
}

/** A regular file below `root`, opened to be read; undefined for what is none or lies outside. */
export function openBelow(root: string, name: string): { fd: number; stat: fs.Stats; real: string } | undefined {
  try {
    const real = fs.realpathSync(join(root, name));
    if (!isWithin(root, real)) return undefined;
    const opened = inHeld(root, dirname(real), "file", (held) => openIn(held, basename(real)));
    return opened && { ...opened, real };
  } catch {
    return undefined; // It went away, or may not be read.
  }
}

/** The bytes of a file that truly lies in a real folder, whatever its path means by then. Throws RUN_PATH. */
export function readWithin(root: string, path: string): Buffer {
  const opened = openBelow(root, relative(root, path));
  if (!opened) throw errors.RUN_PATH({ what: "file", path, reason: "it went away, or was exchanged for what is none" });
  try {
    return fs.readFileSync(opened.fd);
  } finally {
    fs.closeSync(opened.fd);
  }
}

/** Opens a regular file of a folder that is held; undefined for what is none. Throws as `open` does. */
export function openIn(held: Held, name: string): { fd: number; stat: fs.Stats } | undefined {
  const fd = fs.openSync(held.path(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const stat = fs.fstatSync(fd);
  if (stat.isFile()) return { fd, stat };
  fs.closeSync(fd);
  return undefined;
}

/**
 * Removes what has this name with all that is below it, and nothing that links lead to. What lies too deep is moved into
 * `aside` first, a folder on the same file system that no program sees.
 */
export function remove(held: Held, name: string, aside: string): void {
  const spilled: string[] = [];
  removeFrom(held, name, 0, (path) => {
    const to = join(aside, `deep-${newId()}`);
    fs.renameSync(path, to);
    spilled.push(to);
  });
  for (const path of spilled) inHeld(aside, aside, "folder", (outside) => remove(outside, basename(path), aside));
}

function removeFrom(held: Held, name: string, depth: number, spill: (path: string) => void): void {
  const path = held.path(name);
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
  // Without the right to write, what is in it stays.
  if ((stat.mode & 0o700) !== 0o700) unlock(path);
  const below = held.folder(name);
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

/** Makes a folder where a program has put something else in its place, too: that is removed. */
export function remake(held: Held, name: string, aside: string): Held {
  makeFolder(held.path(name));
  try {
    return held.folder(name);
  } catch {
    remove(held, name, aside);
    makeFolder(held.path(name));
    return held.folder(name);
  }
}

/** A folder at or below `root`, both real, which the caller closes. `what` names it in errors. Throws RUN_PATH. */
export function holdFolder(root: string, path: string, what: string): Held {
  return hold(root, path, what, false);
}

function hold(root: string, path: string, what: string, make: boolean): Held {
  const fail = (reason: string, cause?: unknown) =>
    errors.RUN_PATH({ what, path: relative(root, path), reason }, { cause });
  let held: Held | undefined;
  try {
    const real = realOf(path);
    if (!isWithin(root, real)) throw fail("a link on its way leads out of the workspace");
    held = open(root);
    for (const name of relative(root, real).split(sep).filter(Boolean)) {
      if (make) makeFolder(held.path(name));
      const next = held.folder(name);
      held.close();
      held = next;
    }
    return held;
  } catch (thrown) {
    held?.close();
    const reason = reasons[codeOf(thrown)];
    throw reason === undefined ? thrown : fail(reason, thrown);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ELOOP: "links on its way lead in a circle, or it was changed just now",
  ENOTDIR: "something on its way is no folder",
  ENOENT: "it does not exist",
  ENAMETOOLONG: "it is too long",
  EACCES: "it may not be entered",
};

function open(path: string): Held {
  if (DESCRIPTORS === undefined) return byName(path);
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const own = `${DESCRIPTORS}/${fd}`;
  return {
    path: (name) => `${own}/${name}`,
    entries: () => entriesOf(`${own}/`),
    folder: (name) => open(`${own}/${name}`),
    close: () => fs.closeSync(fd),
  };
}

function byName(path: string): Held {
  if (!fs.lstatSync(path).isDirectory()) throw Object.assign(new Error(`${path} is no folder`), { code: "ENOTDIR" });
  return {
    path: (name) => join(path, name),
    entries: () => entriesOf(path),
    folder: (name) => byName(join(path, name)),
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
