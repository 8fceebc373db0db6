import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { errors } from "../errors.ts";
import { codeOf, messageOf, ScorelError } from "../values/coded-error.ts";
import { userDir } from "./home.ts";
import { makeFolder } from "./make-folder.ts";
import { replaceFile } from "./private.ts";
import { makePrivate } from "./private-folder.ts";
import type { Tree } from "./tree.ts";

/**
 * Copies that were not used for this long are removed. They remain from runs with --trust, from trees that changed later, and from
 * projects and presets that were updated while sessions used them.
 */
const STALE_MS = 7 * 24 * 3600 * 1000;

/** The kind of copies: of trusted projects, of installed presets, or of installed extensions. */
export type Copies = "trusted" | "presets" | "packages";

const copies = (of: Copies) => join(userDir(), "cache", of);

/** The folder of the copy of a tree with this hash. */
export const copyOf = (hash: string, of: Copies = "trusted") => join(copies(of), hash);

/**
 * Writes the bytes of a tree into a folder that only this user can enter, and returns the folder. If it exists, files that differ
 * are written again, and files that are not in the tree are removed. Throws TRUST_COPY, and EXTENSION_FOLDER when other users can
 * enter the folder.
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

/** Removes a copy, if it exists. */
export function removeCopy(hash: string, of: Copies = "trusted"): void {
  fs.rmSync(copyOf(hash, of), { recursive: true, force: true });
}

function keepFile(path: string, bytes: Buffer, mode: number): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && stats.size === bytes.length && fs.readFileSync(path).equals(bytes)) {
    if ((stats.mode & 0o777) !== mode) fs.chmodSync(path, mode);
    return;
  }
  makeFolder(dirname(path));
  replaceFile(path, bytes, { mode });
}

/** Removes files that are not in the tree: an import could find such a file instead of the intended one. */
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

/** Lets an outdated copy expire after STALE_MS instead of removing it at once, because sessions may still read from it. */
export function retireCopy(hash: string, of: Copies = "trusted"): void {
  const root = copyOf(hash, of);
  if (fs.existsSync(root)) fs.utimesSync(root, new Date(), new Date());
}

/** Renews the time of a copy that is used, so that it is not removed as stale. */
function touch(root: string): void {
  try {
    fs.utimesSync(root, new Date(), new Date());
  } catch (thrown) {
    // On a read-only file system nothing would be removed anyway.
    if (codeOf(thrown) !== "EROFS") throw thrown;
  }
}

/** Removes stale copies, except for those with the hashes in `kept`. */
export function removeStale(of: Copies, kept: readonly string[]): void {
  if (!fs.existsSync(copies(of))) return;
  for (const name of fs.readdirSync(copies(of)).filter((each) => !kept.includes(each))) {
    const path = join(copies(of), name);
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > STALE_MS) fs.rmSync(path, { recursive: true, force: true });
  }
}
