import * as fs from "node:fs";
import { codeOf, newId } from "@scorel/kernel";

/** Makes a directory that only this user may enter, and narrows one that others may. */
export function makePrivateDirectory(path: string): void {
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

/** Puts a whole new text in a file's place: readers see the old one or the new one. `durable` survives a power loss. */
export function replaceFile(path: string, text: string, options: { durable?: boolean } = {}): void {
  const temporary = writeTemporary(path, text, options.durable ?? false);
  try {
    fs.renameSync(temporary, path);
  } catch (thrown) {
    removeIfPresent(temporary);
    throw thrown;
  }
}

/** Creates a file with its whole text at once; false when the name is taken. */
export function createFile(path: string, text: string, options: { durable?: boolean } = {}): boolean {
  const temporary = writeTemporary(path, text, options.durable ?? false);
  try {
    fs.linkSync(temporary, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    return createWithoutLinks(path, text, thrown);
  } finally {
    removeIfPresent(temporary);
  }
}

/** Some file systems have no hard links; there a reader may, for a moment, see the file empty. */
function createWithoutLinks(path: string, text: string, refused: unknown): boolean {
  if (!["EPERM", "EACCES", "ENOTSUP", "ENOSYS"].includes(codeOf(refused))) throw refused;
  try {
    fs.writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function writeTemporary(path: string, text: string, durable: boolean): string {
  const temporary = `${path}.${newId()}.tmp`;
  try {
    fs.writeFileSync(temporary, text, { flag: "wx", mode: 0o600, flush: durable });
    return temporary;
  } catch (thrown) {
    removeIfPresent(temporary);
    throw thrown;
  }
}
