import * as fs from "node:fs";
import { codeOf, newId, ScorelError } from "@scorel/kernel";
import { reasonOf } from "@scorel/kit/values/coded-error";
import { errors } from "../errors.ts";

const BATCH = 2 ** 20;
const NO_LINKS = ["EPERM", "EACCES", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"];

/**
 * Writes a private file, completely or not at all. An existing file is replaced only with `force`; a symbolic link is
 * replaced itself and never followed. Returns the number of bytes. Throws TRANSFER_EXISTS and TRANSFER_FILE.
 */
export async function writeOut(path: string, chunks: AsyncIterable<string>, force: boolean): Promise<number> {
  const beside = `${path}.${newId()}.tmp`;
  try {
    if (!force && fs.lstatSync(path, { throwIfNoEntry: false })) throw errors.TRANSFER_EXISTS({ path });
    const fd = fs.openSync(beside, "wx", 0o600);
    try {
      const bytes = await write(fd, chunks);
      if (force) fs.renameSync(beside, path);
      else linkIfAbsent(beside, path);
      return bytes;
    } finally {
      fs.rmSync(beside, { force: true });
    }
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") throw errors.TRANSFER_EXISTS({ path });
    if (thrown instanceof ScorelError) throw thrown;
    const reason = codeOf(thrown) === "ENOENT" ? "its folder does not exist" : reasonOf(thrown);
    throw errors.TRANSFER_FILE({ path, reason }, { cause: thrown });
  }
}

/** Writes the chunks, and closes the file. Returns the number of bytes. */
async function write(fd: number, chunks: AsyncIterable<string>): Promise<number> {
  try {
    let bytes = 0;
    for await (const batch of batched(chunks)) {
      const text = Buffer.from(batch);
      for (let written = 0; written < text.length; ) written += fs.writeSync(fd, text, written);
      bytes += text.length;
    }
    fs.fsyncSync(fd);
    return bytes;
  } finally {
    fs.closeSync(fd);
  }
}

async function* batched(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length < BATCH) continue;
    yield parts.join("");
    parts = [];
    length = 0;
  }
  yield parts.join("");
}

/**
 * Links the file to its final name, which fails if that exists. Falls back to a copy on file systems without hard
 * links.
 */
function linkIfAbsent(from: string, path: string): void {
  try {
    fs.linkSync(from, path);
  } catch (thrown) {
    if (!NO_LINKS.includes(codeOf(thrown))) throw thrown;
    fs.copyFileSync(from, path, fs.constants.COPYFILE_EXCL);
    fs.chmodSync(path, 0o600);
  }
}
