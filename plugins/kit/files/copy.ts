import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { codeOf, messageOf, ScorelError } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { userDir } from "./home.ts";
import { replaceFile } from "./private.ts";
import { makePrivate } from "./private-folder.ts";
import type { Tree } from "./tree.ts";

/** Left by runs with --trust, by trees that have changed since, and by presets that were updated while sessions used them. */
const STALE_MS = 7 * 24 * 3600 * 1000;

/** Whose copies: those of projects, or of installed presets. */
export type Copies = "trusted" | "presets";

const copies = (of: Copies) => join(userDir(), "cache", of);

/** Where the copy of a tree with this hash lies. */
export const copyOf = (hash: string, of: Copies = "trusted") => join(copies(of), hash);

/**
 * Puts exactly the bytes that were hashed into a folder that only this user can enter, and answers it. A file of an
 * earlier copy is compared with them and written again where it differs; what does not belong is removed. Throws TRUST_COPY,
 * and EXTENSION_FOLDER when others can enter.
 */
export function keepCopy(tree: Tree, of: Copies = "trusted"): string {
  try {
    return write(tree, of);
  } catch (thrown) {
    if (thrown instanceof ScorelError) throw thrown;
    throw errors.TRUST_COPY({ folder: copies(of), reason: messageOf(thrown) }, { cause: thrown });
  }
}

function write({ files, hash, executables }: Tree, of: Copies): string {
  const root = copyOf(hash, of);
  const isNew = !fs.existsSync(root);
  makePrivate(userDir(), join(userDir(), "cache"), copies(of), root);
  if (isNew && of === "trusted") removeStale(of, []);
  removeOthers(root, "", files);
  for (const [path, bytes] of files) keepFile(join(root, path), bytes, executables?.has(path) ? 0o700 : 0o600);
  if (!isNew) touch(root);
  return root;
}

/** Forgets a copy; that there is none is fine. */
export function removeCopy(hash: string, of: Copies = "trusted"): void {
  fs.rmSync(copyOf(hash, of), { recursive: true, force: true });
}

function keepFile(path: string, bytes: Buffer, mode: number): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && stats.size === bytes.length && fs.readFileSync(path).equals(bytes)) {
    if ((stats.mode & 0o777) !== mode) fs.chmodSync(path, mode);
    return;
  }
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  replaceFile(path, bytes, { mode });
}

/** A helper's name decides what an import finds, so nothing may lie there that was not hashed. */
function removeOthers(folder: string, prefix: string, files: ReadonlyMap<string, Buffer>): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const name = prefix + entry.name;
    const isOurs = entry.isDirectory()
      ? [...files.keys()].some((file) => file.startsWith(`${name}/`))
      : entry.isFile() && (files.has(name) || entry.name.endsWith(".tmp"));
    if (!isOurs) fs.rmSync(path, { recursive: true, force: true });
    else if (entry.isDirectory()) removeOthers(path, `${name}/`, files);
  }
}

/** Sets a copy aside that is no longer the newest: whoever reads from it may go on for some days. */
export function retireCopy(hash: string, of: Copies): void {
  const root = copyOf(hash, of);
  if (fs.existsSync(root)) fs.utimesSync(root, new Date(), new Date());
}

/** Keeps a copy that is used again from being removed as one that was left behind. */
function touch(root: string): void {
  try {
    fs.utimesSync(root, new Date(), new Date());
  } catch (thrown) {
    // Where nothing can be written, nothing can be removed either.
    if (codeOf(thrown) !== "EROFS") throw thrown;
  }
}

/** Removes copies that have been left for long, but for those of these hashes. */
export function removeStale(of: Copies, kept: readonly string[]): void {
  if (!fs.existsSync(copies(of))) return;
  for (const name of fs.readdirSync(copies(of)).filter((each) => !kept.includes(each))) {
    const path = join(copies(of), name);
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > STALE_MS) fs.rmSync(path, { recursive: true, force: true });
  }
}
