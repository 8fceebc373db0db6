import { closeSync, constants, fstatSync, openSync } from "node:fs";

/** Opens a file for reading. Refuses a FIFO and the like instead of waiting for a writer. Throws file system errors. */
export function openToRead(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(fd);
  // Folders are not refused here, since reading one fails with a clear error of the system.
  if (stats.isFile() || stats.isDirectory()) return fd;
  closeSync(fd);
  throw new Error("it is no file");
}
