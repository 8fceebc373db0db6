import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink, realpath } from "node:fs/promises";
import { codeOf } from "@scorel/kernel";
import { errors } from "./errors.ts";

/** Linux's flag to hold a folder without reading it; Node does not name it. */
const O_PATH = 0o10000000;

/** A folder that was judged, held so that nothing which takes its place meanwhile is written to. */
export interface Folder extends AsyncDisposable {
  /** What the file system is asked with for a name in it. */
  at(name: Buffer): Buffer;
}

/** Holds the folder at this real path, made with its parents where `create` says so; throws FILE_MOVED. */
export async function holdFolder(path: Buffer, create: boolean): Promise<Folder> {
  try {
    return await held(path, path);
  } catch (thrown) {
    if (!create || codeOf(thrown) !== "ENOENT") throw thrown;
  }
  const [parent, name] = split(path);
  await using around = await holdFolder(parent, true);
  await mkdir(around.at(name)).catch((thrown: unknown) => {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  });
  return await held(around.at(name), path);
}

/** The folder of a path, and the name in it. */
export function split(path: Buffer): [folder: Buffer, name: Buffer] {
  const at = path.lastIndexOf("/");
  return [path.subarray(0, Math.max(at, 1)), path.subarray(at + 1)];
}

/** Where the system can name what is open, a name is looked up in the open folder itself. */
async function held(at: Buffer, path: Buffer): Promise<Folder> {
  if (process.platform !== "linux") return await named(path);
  const handle = await opened(at, path);
  try {
    const own = Buffer.from(`/proc/self/fd/${handle.fd}`);
    const real = await readlink(own, { encoding: "buffer" }).catch(() => undefined);
    if (real !== undefined && !real.equals(path)) throw errors.FILE_MOVED({ path: path.toString() });
    return real === undefined ? await named(path, handle) : folder(own, handle);
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

async function opened(at: Buffer, path: Buffer): Promise<FileHandle> {
  try {
    return await open(at, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (!["ELOOP", "ENOTDIR"].includes(codeOf(thrown))) throw thrown;
    throw errors.FILE_MOVED({ path: path.toString() }, { cause: thrown });
  }
}

/** By its path, looked at once more: elsewhere nothing better is to be had. */
async function named(path: Buffer, handle?: FileHandle): Promise<Folder> {
  const real = await realpath(path, { encoding: "buffer" });
  if (!real.equals(path)) throw errors.FILE_MOVED({ path: path.toString() });
  return folder(path, handle);
}

function folder(base: Buffer, handle?: FileHandle): Folder {
  return {
    at: (name) => Buffer.concat([base, Buffer.from("/"), name]),
    [Symbol.asyncDispose]: async () => handle?.close(),
  };
}
