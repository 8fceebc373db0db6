import * as fs from "node:fs";
import { join } from "node:path";
import { codeOf } from "@scorel/kernel";
import { TreeWriter } from "../archive/tree-writer.ts";
import { errors } from "../errors.ts";

const CHUNK = 1024 * 1024;

/** Copies a folder's files, except `.git` and `node_modules`. Throws ARCHIVE errors. */
export function copyFolder(from: string, into: string): void {
  const writer = new TreeWriter(from, into);
  const left = new Set([".git", "node_modules"]);
  for (const name of fs.readdirSync(from).sort()) if (!left.has(name)) copyEntry(from, name, writer);
}

function copyEntry(root: string, path: string, writer: TreeWriter): void {
  writer.count();
  const full = join(root, path);
  const stats = fs.lstatSync(full);
  if (stats.isDirectory()) {
    writer.folder(path);
    for (const name of fs.readdirSync(full).sort()) copyEntry(root, `${path}/${name}`, writer);
  } else if (stats.isFile()) copyFile(full, path, writer);
  else throw writer.refuse(path, stats.isSymbolicLink() ? "is a link" : "is neither a file nor a folder");
}

/** Checks the open file rather than its path, so that nobody can replace it between the check and the read. */
function copyFile(full: string, path: string, writer: TreeWriter): void {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = fs.constants;
  const fd = open(full, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw writer.refuse(path, "is neither a file nor a folder");
    const file = writer.file(path, (stats.mode & 0o100) !== 0);
    try {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, stats.size + 1));
      for (let size = fs.readSync(fd, chunk); size > 0; size = fs.readSync(fd, chunk))
        file.write(chunk.subarray(0, size));
    } finally {
      file.close();
    }
  } finally {
    fs.closeSync(fd);
  }
}

function open(path: string, flags: number): number {
  try {
    return fs.openSync(path, flags);
  } catch (thrown) {
    throw errors.PACKAGES_SOURCE({ source: path, reason: `it cannot be read (${codeOf(thrown)})` }, { cause: thrown });
  }
}
