import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { errors } from "../errors.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = fs.constants;
/** Why a path behind a linked folder is skipped. */
export const BEHIND_LINK = "its folder is a link";
const DESCRIPTORS = "/proc/self/fd";
/** On Linux, names are looked up through the descriptor of an open folder, as with openat(2). */
const exact = fs.existsSync(DESCRIPTORS);

/**
 * An open folder. All operations happen in this folder, even if its path is replaced. On systems without descriptor paths, the
 * path is checked before each use.
 */
export class Folder {
  private readonly fd: number;
  private readonly path: string;

  private constructor(fd: number, path: string) {
    this.fd = fd;
    this.path = path;
  }

  /** Opens a folder. Throws CHECKPOINT_PATH for a link, and a file system error for anything else that is not a folder. */
  static open(path: string, shown = path): Folder {
    try {
      return new Folder(fs.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), shown);
    } catch (thrown) {
      if (!isLink(path)) throw thrown;
      throw errors.CHECKPOINT_PATH({ path: shown, reason: BEHIND_LINK }, { cause: thrown });
    }
  }

  /** A path to an entry of this folder, for one call. Throws CHECKPOINT_PATH if the folder was replaced. */
  at(name: string): string {
    if (exact) return `${DESCRIPTORS}/${this.fd}/${name}`;
    const [open, named] = [fs.fstatSync(this.fd), fs.lstatSync(this.path, { throwIfNoEntry: false })];
    if (open.ino === named?.ino && open.dev === named.dev) return join(this.path, name);
    throw errors.CHECKPOINT_PATH({ path: this.path, reason: "its folder was replaced" });
  }

  /** Opens a subfolder; `make` creates it if it is missing. */
  child(name: string, make: boolean): Folder {
    if (make) makeFolder(this.at(name));
    return Folder.open(this.at(name), join(this.path, name));
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

/**
 * Opens the folder of a path below `root`, following no links, and calls `work` with it and the last name. Undefined when the
 * folder does not exist. Throws CHECKPOINT_PATH.
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
