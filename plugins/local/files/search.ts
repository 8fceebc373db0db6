import { basename, dirname } from "node:path";
import { type RipgrepOptions, runRipgrep } from "@scorel/kit/process/ripgrep";
import type { FileSearch, FilesService } from "../contract.ts";
import { infoOf } from "./files.ts";
import { type OpenFile, openReal } from "./open-file.ts";

/** Where ripgrep is started. */
type Start = Pick<RipgrepOptions, "cwd" | "input"> & { target: string };
type SearchOptions = NonNullable<Parameters<NonNullable<FilesService["search"]>>[1]>;

/** Opens a file or folder, which stays open until it is disposed. */
export async function search(path: string, { env = {} }: SearchOptions = {}): Promise<FileSearch> {
  const open = await openReal(path);
  try {
    const info = infoOf(await open.handle.stat());
    const { target, ...start } = info.kind === "folder" ? inFolder(path, open) : ofFile(path, open);
    return {
      ...info,
      target,
      run: (args, options) => runRipgrep(args, { ...start, ...options, env }),
      [Symbol.asyncDispose]: () => open.handle.close(),
    };
  } catch (thrown) {
    await open.handle.close();
    throw thrown;
  }
}

/** Starts ripgrep in the open folder, under a path that cannot be redirected. */
function inFolder(path: string, { held }: OpenFile): Start {
  return { cwd: held ?? path, target: "./" };
}

/** Passes the open file to ripgrep as standard input. */
function ofFile(path: string, { held, handle }: OpenFile): Start {
  const cwd = dirname(path);
  return held === undefined
    ? { cwd, target: `./${basename(path)}` }
    : { cwd, target: "/proc/self/fd/0", input: handle.fd };
}
