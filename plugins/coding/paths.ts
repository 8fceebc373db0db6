import { isUtf8 } from "node:buffer";
import { access, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import type { Workspace } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";
import { decodeName, encodeName, mayBeEncoded } from "./names.ts";

/** A path a model named, resolved. */
export interface Place {
  /** The real path, also of a file that does not exist yet; names that are no UTF-8 escaped. */
  path: string;
  /** What the file system is asked with. */
  raw: string | Buffer;
  /** The absolute path as it was named, links not followed. */
  lexical: string;
  /** For messages: relative to the working directory when it lies below. */
  shown: string;
}

type Ground = Pick<Workspace, "cwd" | "home">;

/** Resolves `~`, the working directory and every link; throws PATH_INVALID. */
export async function locate(named: string, ground: Ground): Promise<Place> {
  const lexical = absolute(named, ground);
  const bytes = await canonical(await spelling(lexical), named);
  const path = decodeName(bytes);
  return { path, raw: isUtf8(bytes) ? path : bytes, lexical, shown: shownAs(path, ground.cwd) };
}

/** What a tool reads that is given this path: as it is named and as it is. None when the tool will refuse it anyway. */
export async function readsOf(named: string, ground: Ground): Promise<string[]> {
  try {
    const { lexical, path } = await locate(named, ground);
    return lexical === path ? [path] : [lexical, path];
  } catch (thrown) {
    if (codeOf(thrown) === "PATH_INVALID") return [];
    throw thrown;
  }
}

/** The absolute form of a path, links not followed. */
export function absolute(named: string, { cwd, home }: Ground): string {
  if (named === "") throw errors.PATH_INVALID({ path: named, reason: "it is empty" });
  if (named.includes("\0")) throw errors.PATH_INVALID({ path: named, reason: "it contains a NUL character" });
  if (named === "~" || named.startsWith("~/")) return resolve(home, named.slice(2));
  return resolve(cwd, named);
}

/** A path as messages name it. */
export function shownAs(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" ? "." : short === ".." || short.startsWith(`..${sep}`) || isAbsolute(short) ? path : short;
}

/** The real path of what exists, with the rest of the name behind it. */
export async function realPath(path: string): Promise<string> {
  return decodeName(await canonical(path, path));
}

/** The bytes of a name: as it is spelled, unless only its escaped form exists. */
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

/** Where a link that points at nothing points. */
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
