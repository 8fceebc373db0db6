import * as fs from "node:fs";
import { codeOf } from "../values/coded-error.ts";
import { newId } from "../values/id.ts";
import { readText } from "./open.ts";
import { naming } from "./room.ts";

/** Error codes of `link` on file systems without hard links. */
const NO_LINKS = ["EPERM", "EACCES", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"];

/** The text of a file; undefined when the file does not exist. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readText(path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Removes a file, if it exists. Not by `rmSync`, whose first call takes a millisecond. */
export function removeIfPresent(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

/** Options for writing a file. */
export interface WriteOptions {
  /** Permissions, before the umask. Default: 0600. */
  mode?: number;
  /** Waits until the content is on disk, so that after a power loss either the old or the new content is there. */
  durable?: boolean;
  /** Called after the content is written to a temporary file. If it throws, the file stays unchanged. */
  before?: () => void;
}

/**
 * Replaces the content of a file in one step: readers see the old content or the new one, and after a failure the old one. A
 * symbolic link at `path` is replaced, not followed. Throws file system errors.
 */
export function replaceFile(path: string, content: string | Uint8Array, options: WriteOptions = {}): void {
  const temporary = writeBeside(path, content, options);
  try {
    options.before?.();
    fs.renameSync(temporary, path);
  } catch (thrown) {
    removeIfPresent(temporary);
    throw naming(path, thrown);
  }
}

/** Creates a file together with its content. Returns false and changes nothing when the file exists. */
export function createFile(
  path: string,
  content: string | Uint8Array,
  options: Omit<WriteOptions, "before"> = {},
): boolean {
  const temporary = writeBeside(path, content, options);
  try {
    fs.linkSync(temporary, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    if (!NO_LINKS.includes(codeOf(thrown))) throw thrown;
    return createWithoutLinks(path, content, options);
  } finally {
    removeIfPresent(temporary);
  }
}

/** For file systems without hard links. For a moment, readers may find the file empty. */
function createWithoutLinks(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, durable }: WriteOptions,
): boolean {
  try {
    fs.writeFileSync(path, content, { flag: "wx", mode, flush: durable });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw naming(path, thrown);
  }
}

/** Writes a temporary file beside `path`. Its name cannot be guessed, and `wx` refuses a link that someone put there. */
function writeBeside(path: string, content: string | Uint8Array, { mode = 0o600, durable }: WriteOptions): string {
  const temporary = `${path}.${newId()}.tmp`;
  try {
    fs.writeFileSync(temporary, content, { flag: "wx", mode, flush: durable });
    return temporary;
  } catch (thrown) {
    removeIfPresent(temporary);
    throw naming(path, thrown);
  }
}
