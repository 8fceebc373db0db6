import { closeSync, constants, fstatSync, openSync } from "node:fs";

/** Opens a file for reading. What waits for a writer, such as a FIFO, is refused instead of waited for; throws what the system says. */
export function openToRead(path: string): number {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = fstatSync(fd);
  // Reading a folder fails in the system's own words.
  if (stats.isFile() || stats.isDirectory()) return fd;
  closeSync(fd);
  throw new Error("it is no file");
}
