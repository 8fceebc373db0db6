import { type FileHandle, readlink, realpath } from "node:fs/promises";
import { codeOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { decodeName } from "./names.ts";
import type { Place } from "./paths.ts";

/**
 * Throws FILE_SWAPPED unless an open file is still the one at its path and was approved for this call, since another program
 * may replace either with a link at any moment. Returns a stable path of the open file, where the system has one.
 */
export async function requireSame(
  { fd }: FileHandle,
  place: Place,
  approved?: readonly string[],
): Promise<string | undefined> {
  const procPath = process.platform === "linux" ? `/proc/self/fd/${fd}` : undefined;
  const own = procPath === undefined ? undefined : await targetOf(procPath);
  // Elsewhere, the path is resolved once more, which is the best available check.
  const path = decodeName(own ?? (await realpath(place.raw, { encoding: "buffer" })));
  if (path !== place.path || (approved && !approved.includes(path))) throw errors.FILE_SWAPPED({ path: place.shown });
  return own && procPath;
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
