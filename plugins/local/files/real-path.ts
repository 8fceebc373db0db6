import { access, readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { codeOf } from "@scorel/kernel";
import { decodeName, encodeName, mayBeEncoded } from "@scorel/kit/files/names";

const MAX_LINKS = 40;

/** The real path of what exists, with the rest appended. */
export async function realPathOf(path: string): Promise<string> {
  return decodeName(await canonical(await rawPath(path)));
}

/** The path for file system calls: the text itself, or the bytes that it escapes if only those exist. */
export async function rawPath(path: string): Promise<string | Buffer> {
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

async function canonical(path: string | Buffer, links = 0): Promise<Buffer> {
  try {
    return await realpath(path, { encoding: "buffer" });
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    if (links > MAX_LINKS) throw Object.assign(new Error("too many links", { cause: thrown }), { code: "ELOOP", path });
  }
  const text = path.toString();
  const target = await targetOf(text);
  if (target !== undefined) return canonical(resolve(dirname(text), target), links + 1);
  const parent = await canonical(dirname(text), links);
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
