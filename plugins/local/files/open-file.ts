import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { codeOf } from "@scorel/kernel";
import { decodeName } from "@scorel/kit/files/names";
import { rawPath } from "./real-path.ts";
import { stale } from "./stale.ts";

export interface OpenFile {
  handle: FileHandle;
  /** A stable path of the open file, where the system has one. */
  held: string | undefined;
}

/**
 * Opens a file or folder at a real path for reading, without waiting for a FIFO's writer. Throws ESTALE unless it is the one at
 * this path, since another program may replace a part of the path with a link at any moment.
 */
export async function openReal(path: string): Promise<OpenFile> {
  const raw = await rawPath(path);
  const handle = await open(raw, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const held = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : undefined;
    const own = held === undefined ? undefined : await targetOf(held);
    // Elsewhere, the path is resolved once more, which is the best available check.
    const now = decodeName(own ?? (await realpath(raw, { encoding: "buffer" })));
    if (now !== path) throw stale(path);
    return { handle, held: own && held };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
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
