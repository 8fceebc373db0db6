import * as fs from "node:fs";
import type { ScorelError } from "@scorel/kernel";
import { errors } from "./errors.ts";

/**
 * The error for an open log that someone else deleted, moved or changed; undefined when it is unchanged. `size` is the length of its
 * complete records in bytes. `tainted` means that bytes of a failed append may follow them.
 */
export function changeOf(path: string, fd: number, size: number, tainted: boolean): ScorelError | undefined {
  const open = fs.fstatSync(fd);
  if (open.nlink === 0) return errors.STORE_GONE({ path, ...(isLinux && { copy: `/proc/${process.pid}/fd/${fd}` }) });
  const named = fs.statSync(path, { throwIfNoEntry: false });
  if (named?.ino !== open.ino || named.dev !== open.dev) return errors.STORE_MOVED({ path, ...movedTo(fd) });
  if (open.size === size || (tainted && open.size > size)) return undefined;
  return errors.STORE_CHANGED({ path, bytes: open.size - size });
}

/** On Linux, /proc has the current name and the bytes of an open file, so that a deleted file can be copied from there. */
const isLinux = process.platform === "linux";

function movedTo(fd: number): { to?: string } {
  try {
    return isLinux ? { to: fs.readlinkSync(`/proc/self/fd/${fd}`) } : {};
  } catch {
    // /proc may not be mounted.
    return {};
  }
}
