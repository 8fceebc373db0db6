import * as fs from "node:fs";
import { codeOf, newId } from "@scorel/kernel";

/** File systems without hard links answer one of these to `link`. */
const NO_LINKS = ["EPERM", "EACCES", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"];

/** Makes a folder with its parents, or narrows the one that is there, so that only this user may enter it. */
export function makePrivateFolder(path: string): void {
  fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  if ((fs.statSync(path).mode & 0o077) !== 0) fs.chmodSync(path, 0o700);
}

/** A file's text, or undefined when there is none. */
export function readIfPresent(path: string): string | undefined {
  try {
    return fs.readFileSync(path, "utf8");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Removes a file; that it is gone already is fine. */
export function removeIfPresent(path: string): void {
  fs.rmSync(path, { force: true });
}

/** How a file is put in its place. */
export interface Putting {
  /** Permissions, before the umask. Default: 0600. */
  mode?: number;
  /** Waits until the content is on disk, so that a power loss leaves the old file or the new one. */
  durable?: boolean;
  /** Called when the content is written and before it takes the place; what it throws leaves the file as it was. */
  before?: () => void;
}

/**
 * Puts a new content in a file's place in one step: readers see the old content or the new one, and a failure leaves the old. A
 * link at `path` is replaced, not followed. Throws errors of the file system.
 */
export function replaceFile(path: string, content: string | Uint8Array, options: Putting = {}): void {
  const temporary = writeBeside(path, content, options);
  try {
    options.before?.();
    fs.renameSync(temporary, path);
  } catch (thrown) {
    removeIfPresent(temporary);
    throw thrown;
  }
}

/** Creates a file with its whole content at once; false, with nothing changed, when the name is taken. */
export function createFile(path: string, content: string | Uint8Array, options: Omit<Putting, "before"> = {}): boolean {
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

/** Without hard links a reader may, for a moment, find the file empty. */
function createWithoutLinks(path: string, content: string | Uint8Array, { mode = 0o600, durable }: Putting): boolean {
  try {
    fs.writeFileSync(path, content, { flag: "wx", mode, flush: durable });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/** A new file under a name that nobody can know before; `wx` refuses a link that stands there all the same. */
function writeBeside(path: string, content: string | Uint8Array, { mode = 0o600, durable }: Putting): string {
  const temporary = `${path}.${newId()}.tmp`;
  try {
    fs.writeFileSync(temporary, content, { flag: "wx", mode, flush: durable });
    return temporary;
  } catch (thrown) {
    removeIfPresent(temporary);
    throw thrown;
  }
}
