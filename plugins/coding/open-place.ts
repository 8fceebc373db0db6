import { type FileHandle, readlink, realpath } from "node:fs/promises";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";
import { decodeName } from "./names.ts";
import type { Place } from "./paths.ts";

/**
 * Throws FILE_SWAPPED unless an open file or folder is the one that its path led to when it was looked up, and one of those that
 * the call was approved to read. A program that runs beside the call may put a link in the place of either at any moment.
 * Answers a name of what is open that leads nowhere else, where the system has one.
 */
export async function requireSame(
  { fd }: FileHandle,
  place: Place,
  approved?: readonly string[],
): Promise<string | undefined> {
  const held = process.platform === "linux" ? `/proc/self/fd/${fd}` : undefined;
  const own = held === undefined ? undefined : await targetOf(held);
  // Elsewhere nothing better is to be had than the path, looked up once more.
  const path = decodeName(own ?? (await realpath(place.raw, { encoding: "buffer" })));
  if (path !== place.path || (approved && !approved.includes(path))) throw errors.FILE_SWAPPED({ path: place.shown });
  return own && held;
}

/** Undefined where /proc is not mounted. */
async function targetOf(link: string): Promise<Buffer | undefined> {
  try {
    return await readlink(link, { encoding: "buffer" });
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
