import { isAbsolute, relative, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { typedPath } from "@scorel/kit/files/typed-path";
import type { FilesService } from "@scorel/local/contract";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";

/** A resolved path. */
export interface Place {
  /** The real path, even for a file that does not exist yet; bytes that are not UTF-8 are escaped. */
  path: string;
  /** The absolute path as given, without resolving links. */
  lexical: string;
  /** The path for messages: relative to the working directory when inside it. */
  shown: string;
}

type Folders = Pick<Workspace, "cwd" | "home">;

/** Resolves `~`, the working directory and all links. Throws PATH_INVALID. */
export async function locate(named: string, around: Around): Promise<Place> {
  const lexical = absolute(named, around.workspace);
  const path = await realPath(lexical, around, named);
  return { path, lexical, shown: shownAs(path, around.workspace.cwd) };
}

/** The paths that a tool reads for this argument: as given and real. Empty if the tool will refuse it. */
export async function readsOf(named: string, around: Around): Promise<string[]> {
  try {
    const { lexical, path } = await locate(named, around);
    return lexical === path ? [path] : [lexical, path];
  } catch (thrown) {
    if (codeOf(thrown) === "PATH_INVALID") return [];
    throw thrown;
  }
}

/** The absolute form of a path, without resolving links. */
export function absolute(named: string, { cwd, home }: Folders): string {
  if (named === "") throw errors.PATH_INVALID({ path: named, reason: "it is empty" });
  if (named.includes("\0")) throw errors.PATH_INVALID({ path: named, reason: "it contains a NUL character" });
  return typedPath(named, cwd, home);
}

/** A path for messages. */
export function shownAs(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" ? "." : short === ".." || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short;
}

/** The base folders and the file system with which paths are resolved. */
interface Around {
  workspace: Folders;
  files: Pick<FilesService, "realpath">;
}

/** The real path of the existing part, with the rest appended. Throws PATH_INVALID when there can be no such path. */
export async function realPath(path: string, { files }: Pick<Around, "files">, named = path): Promise<string> {
  try {
    return await files.realpath(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    const reason = REASONS[code];
    // Other errors are failures of the file system and say nothing about the path.
    if (reason === undefined) throw thrown;
    throw errors.PATH_INVALID({ path: named, reason }, { cause: thrown });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of it is a file, not a directory",
  ELOOP: "its links form a cycle",
  EACCES: "EACCES",
  EINVAL: "EINVAL",
  ENAMETOOLONG: "ENAMETOOLONG",
};
