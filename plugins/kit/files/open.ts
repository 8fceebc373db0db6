import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";

const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const FLAGS = WITHOUT_WAITING | (constants.O_NOFOLLOW ?? 0);

/** A file that is open for reading; the caller closes `fd`. `stat` describes the same file that `fd` reads. */
export interface OpenFile {
  fd: number;
  stat: Stats;
}

/**
 * Opens a regular file for reading. Returns undefined for anything else, such as a FIFO, without waiting for its writer. A
 * symbolic link at the path itself is refused. Throws file system errors.
 */
export function openRegular(path: string): OpenFile | undefined {
  const fd = openSync(path, FLAGS);
  try {
    const stat = fstatSync(fd);
    if (stat.isFile()) return { fd, stat };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
  closeSync(fd);
  return undefined;
}

/**
 * Opens a file for reading, also through a symbolic link. Refuses a FIFO and the like instead of waiting for a writer. Throws
 * file system errors.
 */
export function openToRead(path: string): number {
  const fd = openSync(path, WITHOUT_WAITING);
  const stats = fstatSync(fd);
  // Folders are not refused here, since reading one fails with a clear error of the system.
  if (stats.isFile() || stats.isDirectory()) return fd;
  closeSync(fd);
  throw new Error("it is not a file");
}

/**
 * Returns the bytes of a file, also through a symbolic link. Anyone may have put a FIFO in its place, which `readFileSync` would
 * wait for without end; it is refused. Throws file system errors.
 */
export function readBytes(path: string): Buffer {
  const fd = openToRead(path);
  try {
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns the UTF-8 text of a file, by the rules of `readBytes`. */
export function readText(path: string): string {
  return readBytes(path).toString("utf8");
}
