import { createHash } from "node:crypto";
import { constants, copyFileSync, existsSync, linkSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Invocation } from "@scorel/cli/contract";
import type { Client } from "@scorel/host/contract";
import { codeOf, newId } from "@scorel/kernel";
import { createOutput } from "@scorel/kit/terminal/output";
import type { ArtifactVersion } from "./contract.ts";
import { errors } from "./errors.ts";

/** How many bytes are requested at a time. */
const PART = 8 * 1024 * 1024;

/** An artifact of a session. */
export interface Asked {
  sessionId: string;
  name: string;
  version?: number;
}

/** Passes the bytes of an artifact to `take` in parts. Throws ARTIFACT_DAMAGED if the sha256 of the whole differs. */
async function read(
  request: Client["request"],
  asked: Asked,
  take: (bytes: Buffer) => Promise<unknown>,
): Promise<ArtifactVersion> {
  const hash = createHash("sha256");
  for (let offset = 0, version = asked.version; ; offset += PART) {
    const { base64, ...found } = await request("get_artifact", { ...asked, version, offset, length: PART });
    // Stays at this version, since a newer one may be saved meanwhile.
    version = found.version;
    const bytes = Buffer.from(base64, "base64");
    hash.update(bytes);
    await take(bytes);
    if (offset + PART < found.size) continue;
    if (hash.digest("hex") !== found.sha256) throw errors.ARTIFACT_DAMAGED({ name: found.name, sha256: found.sha256 });
    return found;
  }
}

/** Prints an artifact; stops when the reader of the output has gone. */
export async function print(request: Client["request"], asked: Asked, { stdout }: Invocation): Promise<void> {
  const output = createOutput(stdout);
  await read(request, asked, (bytes) => output.write(bytes));
}

/** Writes an artifact to a new file atomically. Throws ARTIFACT_EXISTS and ARTIFACT_TO. */
export async function write(request: Client["request"], asked: Asked, file: string): Promise<ArtifactVersion> {
  if (existsSync(file)) throw errors.ARTIFACT_EXISTS({ file });
  const beside = `${file}.${newId()}.part`;
  try {
    const found = await fill(await open(beside, "wx"), request, asked);
    putInPlace(beside, file);
    return found;
  } catch (thrown) {
    throw unwritten(file, thrown);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** An error that names the requested file, not the temporary one. */
function unwritten(file: string, thrown: unknown): unknown {
  const { errno, code } = thrown as NodeJS.ErrnoException;
  if (errno === undefined || code === undefined) return thrown;
  if (code === "EEXIST") return errors.ARTIFACT_EXISTS({ file }, { cause: thrown });
  return errors.ARTIFACT_TO({ file, reason: REASONS[code] ?? code }, { cause: thrown });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EACCES: "that is not allowed",
  EPERM: "that is not allowed",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
};

/** Moves the file into place without overwriting. */
function putInPlace(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (thrown) {
    // Not all file systems have hard links.
    if (!["EPERM", "ENOTSUP", "ENOSYS"].includes(codeOf(thrown))) throw thrown;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

async function fill(handle: FileHandle, request: Client["request"], asked: Asked): Promise<ArtifactVersion> {
  try {
    return await read(request, asked, (bytes) => handle.writeFile(bytes));
  } finally {
    await handle.close();
  }
}
