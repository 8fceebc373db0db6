import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { replaceFile } from "@scorel/kit/files/private";

/** Part of every key, as another version of the compiler writes other code. */
const COMPILER = "jiti 2.7.0";

const KEPT_MS = 60 * 24 * 3600 * 1000;

/** A source and the options that it is compiled with. */
export interface Compilation {
  source: string;
  filename?: string;
  [option: string]: unknown;
}

/** Compiled code, kept from one process to the next. */
export interface CompileCache {
  /** The kept code; undefined when there is none, or when the file was changed. */
  find(wanted: Compilation): string | undefined;
  /** Keeps compiled code and returns it. */
  keep(wanted: Compilation, code: string): string;
}

/** Where compiled code is kept. Only this user can write there, which whoever names the places has made sure of. */
export interface CachePlaces {
  folder: string;
  /** The file of the secret, outside of the folder. */
  keyFile: string;
}

/**
 * Keeps compiled code, a file for each source. Its first line is the sha256 of the rest, keyed with a secret outside of that
 * folder: code that anything else has put there, or changed, is compiled again.
 */
export function createCompileCache({ folder, keyFile }: CachePlaces): CompileCache {
  const secret = readSecret(keyFile);
  const pathOf = (wanted: Compilation) => join(folder, `${keyOf(wanted)}.js`);
  return {
    find: (wanted) => readKept(pathOf(wanted), secret),
    keep(wanted, code) {
      const path = pathOf(wanted);
      removeOld(folder);
      replaceFile(path, `${sumOf(secret, path, code)}\n${code}`);
      return code;
    },
  };
}

/** Removes old files: when a source changes, the code of its old version is not needed any more. */
function removeOld(folder: string): void {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > KEPT_MS) fs.rmSync(path, { recursive: true, force: true });
  }
}

function keyOf(wanted: Compilation): string {
  const parts = Object.entries(wanted).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Of(JSON.stringify([COMPILER, parts]));
}

/** The path is part of the sum, so that one file cannot be put in the place of another. */
function sumOf(secret: Buffer, path: string, code: string): string {
  return createHmac("sha256", secret).update(path).update("\0").update(code).digest("hex");
}

function readKept(path: string, secret: Buffer): string | undefined {
  const text = fs.existsSync(path) ? fs.readFileSync(path, "utf8") : "";
  const end = text.indexOf("\n");
  if (end < 0) return undefined;
  const code = text.slice(end + 1);
  const [found, right] = [Buffer.from(text.slice(0, end)), Buffer.from(sumOf(secret, path, code))];
  return found.length === right.length && timingSafeEqual(found, right) ? code : undefined;
}

/** When two processes create the secret at once, the second file replaces the first, and both read what is there then. */
function readSecret(path: string): Buffer {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && stats.size === 32 && (stats.mode & 0o077) === 0) return fs.readFileSync(path);
  replaceFile(path, randomBytes(32));
  return fs.readFileSync(path);
}
