import { isUtf8 } from "node:buffer";
import { access, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "../errors.ts";
import { decodeName, encodeName, mayBeEncoded } from "./names.ts";

/** A resolved path. */
export interface Place {
  /** The real path, even for a file that does not exist yet; bytes that are not UTF-8 are escaped. */
  path: string;
  /** The path for file system calls. */
  raw: string | Buffer;
  /** The absolute path as given, without resolving links. */
  lexical: string;
  /** The path for messages: relative to the working directory when inside it. */
  shown: string;
}

type Folders = Pick<Workspace, "cwd" | "home">;

/** Resolves `~`, the working directory and all links. Throws PATH_INVALID. */
export async function locate(named: string, folders: Folders): Promise<Place> {
  const lexical = absolute(named, folders);
  const bytes = await canonical(await spelling(lexical), named);
  const path = decodeName(bytes);
  return { path, raw: isUtf8(bytes) ? path : bytes, lexical, shown: shownAs(path, folders.cwd) };
}

/** The paths that a tool reads for this argument: as given and real. Empty if the tool will refuse it. */
export async function readsOf(named: string, folders: Folders): Promise<string[]> {
  try {
    const { lexical, path } = await locate(named, folders);
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
  if (named === "~" || named.startsWith("~/")) return resolve(home, named.slice(2));
  return resolve(cwd, named);
}

/** A path for messages. */
export function shownAs(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" ? "." : short === ".." || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short;
}

/** The real path of the existing part, with the rest appended. */
export async function realPath(path: string): Promise<string> {
  return decodeName(await canonical(path, path));
}

/** The path itself, or the bytes that it escapes if only those exist. */
async function spelling(path: string): Promise<string | Buffer> {
  if (!mayBeEncoded(path) || (await exists(path))) return path;
  const bytes = encodeName(path);
  return (await exists(bytes)) ? bytes : path;
}

async function exists(path: string | Buffer): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function canonical(path: string | Buffer, named: string, links = 0): Promise<Buffer> {
  try {
    return await realpath(path, { encoding: "buffer" });
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || links > 40)
      throw errors.PATH_INVALID({ path: named, reason: reasonOf(thrown) }, { cause: thrown });
  }
  const text = path.toString();
  const target = await targetOf(text);
  if (target !== undefined) return canonical(resolve(dirname(text), target), named, links + 1);
  const parent = await canonical(dirname(text), named, links);
  return Buffer.concat([parent, Buffer.from(join(parent.at(-1) === 47 ? "" : sep, basename(text)))]);
}

/** The target of a dangling link. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch {
    return undefined;
  }
}

function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === "ENOTDIR") return "a part of it is a file, not a directory";
  if (code === "ELOOP") return "its links go in a circle";
  return code === "ENOENT" ? "its links go too deep" : code;
}
