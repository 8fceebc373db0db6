import { closeSync, existsSync, openSync, readdirSync, readlinkSync } from "node:fs";

/** Files of Linux that answer every write with an error without being broken themselves; none elsewhere. */
export const brokenDevices = existsSync("/proc/self/mem") ? { EIO: "/proc/self/mem", ENOSPC: "/dev/full" } : {};

/** Puts a broken device where this process has `path` open, as if the disk under it failed; answers the way back. */
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
