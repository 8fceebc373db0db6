import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { isWithin } from "./paths.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Linux names what is open by its descriptor: it says where that lies, and names in a folder are looked up in the folder itself. */
const DESCRIPTORS = "/proc/self/fd";
const exact = fs.existsSync(DESCRIPTORS);

/** A file's bytes and state, read where it truly lies: in one of these real folders, whatever its path means by then. */
export function readWithin(folders: readonly string[], path: string): { bytes: Buffer; stat: fs.Stats } {
  const fd = openWithin(folders, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    return { bytes: stat.isFile() ? fs.readFileSync(fd) : Buffer.alloc(0), stat };
  } finally {
    fs.closeSync(fd);
  }
}

/** Opens what lies in one of these real folders. Throws RUN_PATH when its path leads elsewhere. */
export function openWithin(folders: readonly string[], path: string, flags: number): number {
  const fd = fs.openSync(path, flags);
  const real = exact ? fs.readlinkSync(`${DESCRIPTORS}/${fd}`) : fs.realpathSync(path);
  if (folders.some((folder) => isWithin(folder, real))) return fd;
  fs.closeSync(fd);
  throw errors.RUN_PATH({ what: "file", path, reason: "it was exchanged for what lies elsewhere" });
}

/**
 * Opens a folder below a real one, made where it is missing, and hands over a path by which names in that very folder are
 * looked up. Programs that run meanwhile may exchange any of it for a link. Throws RUN_PATH.
 */
export function inFolder<T>(root: string, relative: string, work: (at: string) => T): T {
  let fd = fs.openSync(root, O_RDONLY | O_DIRECTORY);
  let at = pathOf(fd, root);
  try {
    for (const name of relative.split("/").filter((part) => part !== "" && part !== ".")) {
      make(join(at, name));
      const next = openWithin([root], join(at, name), O_RDONLY | O_DIRECTORY);
      fs.closeSync(fd);
      fd = next;
      at = pathOf(fd, join(at, name));
    }
    return work(at);
  } finally {
    fs.closeSync(fd);
  }
}

/** Removes what has this name in an open folder, all that is in it too, and nothing that a link leads to. */
export function removeIn(at: string, name: string): void {
  const path = join(at, name);
  const stat = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory()) {
    inOwn(path, (inside) => {
      for (const each of fs.readdirSync(inside)) removeIn(inside, each);
    });
    fs.rmdirSync(path);
  } else if (stat) fs.unlinkSync(path);
}

/** A folder that is one itself, and no link to one. */
export function inOwn<T>(path: string, work: (at: string) => T): T {
  const fd = fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    return work(pathOf(fd, path));
  } finally {
    fs.closeSync(fd);
  }
}

function pathOf(fd: number, path: string): string {
  return exact ? `${DESCRIPTORS}/${fd}` : path;
}

function make(path: string): void {
  try {
    fs.mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}
