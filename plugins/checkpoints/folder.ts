import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
/** Why nothing is done to a path whose folder became a link. */
export const BEHIND_LINK = "its folder is a link";
const DESCRIPTORS = "/proc/self/fd";
/** Linux names an open folder by its descriptor: a name below that is looked up in the folder itself, as with openat(2). */
const exact = fs.existsSync(DESCRIPTORS);

/**
 * An open folder. What is done to a name in it is done in this very folder, whatever the path to it means by then.
 * Where a system has no name for an open folder, its path is used after a look that it is still the same one.
 */
export class Folder {
  private readonly fd: number;
  private readonly path: string;

  private constructor(fd: number, path: string) {
    this.fd = fd;
    this.path = path;
  }

  /** Opens a folder; throws CHECKPOINT_PATH for a link, and Node's error for what is no folder. */
  static open(path: string, shown = path): Folder {
    try {
      return new Folder(fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), shown);
    } catch (thrown) {
      if (!isLink(path)) throw thrown;
      throw errors.CHECKPOINT_PATH({ path: shown, reason: BEHIND_LINK }, { cause: thrown });
    }
  }

  /** A path that names an entry of this folder, for one call. Throws CHECKPOINT_PATH when the folder was exchanged. */
  at(name: string): string {
    if (exact) return `${DESCRIPTORS}/${this.fd}/${name}`;
    const [open, named] = [fs.fstatSync(this.fd), fs.lstatSync(this.path, { throwIfNoEntry: false })];
    if (open.ino === named?.ino && open.dev === named.dev) return join(this.path, name);
    throw errors.CHECKPOINT_PATH({ path: this.path, reason: "its folder was exchanged" });
  }

  /** A folder in this one; `make` creates it when it is not there. */
  child(name: string, make: boolean): Folder {
    if (make) makeFolder(this.at(name));
    return Folder.open(this.at(name), join(this.path, name));
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

/**
 * Opens the folder of a path below `root`, name by name and never through a link, and hands it over with the last
 * name. Undefined when the folder is not there. Throws CHECKPOINT_PATH.
 */
export function inFolder<T>(root: string, relative: string, make: boolean, work: (folder: Folder, name: string) => T) {
  const names = relative.split("/");
  const last = names.pop() as string;
  let folder = Folder.open(root);
  try {
    for (const name of names) {
      const child = folder.child(name, make);
      folder.close();
      folder = child;
    }
    return work(folder, last);
  } catch (thrown) {
    if (!make && ["ENOENT", "ENOTDIR"].includes(codeOf(thrown))) return undefined;
    throw thrown;
  } finally {
    folder.close();
  }
}

function isLink(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function makeFolder(path: string): void {
  try {
    fs.mkdirSync(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}
