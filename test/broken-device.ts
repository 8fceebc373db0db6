import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from "node:fs";

/** Devices of Linux that answer every write with an error; none on other systems. */
export const brokenDevices = existsSync("/proc/self/mem") ? { EIO: "/proc/self/mem", ENOSPC: "/dev/full" } : {};

/**
 * Replaces the open file `path` of this process by a broken device, as if the disk had failed. Returns a function that
 * undoes this.
 */
export function breakDevice(path: string, device: string): () => void {
  const fd = Number(readdirSync("/proc/self/fd").find((name) => linkOf(name) === path));
  become(fd, device, "r+");
  return () => become(fd, path, "a");
}

function become(fd: number, file: string, flags: string): void {
  closeSync(fd);
  const opened: number[] = [];
  do opened.push(openSync(file, flags));
  while (opened.at(-1) !== fd);
  for (const other of opened.slice(0, -1)) closeSync(other);
}

function linkOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${name}`);
  } catch {
    return "";
  }
}
