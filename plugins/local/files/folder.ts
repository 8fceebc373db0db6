import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath } from "node:fs/promises";
import { codeOf } from "@scorel/kernel";
import { stale } from "./stale.ts";

/** Linux's flag for opening a folder without reading it. Node has no constant for it. */
const O_PATH = 0o10000000;

/** A checked folder that stays open, so that nothing can be written to a folder that replaces it. */
export interface Folder extends AsyncDisposable {
  /** The path to use for a name in this folder. */
  at(name: Buffer): Buffer;
}

/** Opens the folder at this real path; with `create`, missing folders are created. Throws ESTALE if a link is in it now. */
export async function openFolder(path: Buffer, create: boolean): Promise<Folder> {
  try {
    return await openChecked(path, path);
  } catch (thrown) {
    if (!create || codeOf(thrown) !== "ENOENT") throw thrown;
  }
  const [parentPath, name] = split(path);
  await using parent = await openFolder(parentPath, true);
  await mkdir(parent.at(name)).catch((thrown: unknown) => {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  });
  return await openChecked(parent.at(name), path);
}

/** Splits a path into its folder and its name. */
export function split(path: Buffer): [folder: Buffer, name: Buffer] {
  const at = path.lastIndexOf("/");
  return [path.subarray(0, Math.max(at, 1)), path.subarray(at + 1)];
}

/** On Linux, names are looked up through the open folder itself. */
async function openChecked(at: Buffer, path: Buffer): Promise<Folder> {
  if (process.platform !== "linux") return await checkedByPath(path);
  const handle = await openHandle(at, path);
  try {
    const own = Buffer.from(`/proc/self/fd/${handle.fd}`);
    const real = await readlink(own, { encoding: "buffer" }).catch(() => undefined);
    if (real !== undefined && !real.equals(path)) throw stale(path.toString());
    return real === undefined ? await checkedByPath(path, handle) : folder(own, handle);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function openHandle(at: Buffer, path: Buffer): Promise<FileHandle> {
  try {
    return await open(at, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (!["ELOOP", "ENOTDIR"].includes(codeOf(thrown))) throw thrown;
    throw stale(path.toString(), thrown);
  }
}

/** Elsewhere, the path is used and checked once more. */
async function checkedByPath(path: Buffer, handle?: FileHandle): Promise<Folder> {
  const real = await realpath(path, { encoding: "buffer" });
  if (!real.equals(path)) throw stale(path.toString());
  return folder(path, handle);
}

function folder(base: Buffer, handle?: FileHandle): Folder {
  return {
    at: (name) => Buffer.concat([base, Buffer.from("/"), name]),
    [Symbol.asyncDispose]: async () => handle?.close(),
  };
}
