import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { sha256Of } from "@scorel/kit/files/hash";
import { replaceFile } from "@scorel/kit/files/private";
import { withRoom } from "@scorel/kit/files/room";

/** Part of every cache key, since another version of the compiler produces different code. */
const COMPILER = "jiti 2.7.0";

const KEPT_MS = 60 * 24 * 3600 * 1000;

/** A source file and the options that it is compiled with. */
export interface Compilation {
  source: string;
  filename?: string;
  [option: string]: unknown;
}

/** A cache of compiled code on disk. */
export interface CompileCache {
  /** Returns the cached code; undefined if there is none, or if anything else has changed the cached file. */
  find(wanted: Compilation): string | undefined;
  /** Stores compiled code, if the disk has room, and returns it. */
  keep(wanted: Compilation, code: string): string;
}

/** Where compiled code is stored. The caller has made sure that only this user can write there. */
export interface CachePlaces {
  folder: string;
  /** The file with the secret key; not inside `folder`. */
  keyFile: string;
}

/**
 * Creates a cache with one file for each source. The first line of a file is the HMAC-SHA256 of the rest, made with a secret
 * that is not in the folder. If anything else adds or changes a file, the check fails and the source is compiled again.
 */
export function createCompileCache({ folder, keyFile }: CachePlaces): CompileCache {
  const secret = readSecret(keyFile);
  const pathOf = (wanted: Compilation) => join(folder, `${keyOf(wanted)}.js`);
  return {
    find: (wanted) => readKept(pathOf(wanted), secret),
    keep(wanted, code) {
      const path = pathOf(wanted);
      removeOld(folder);
      withRoom(() => replaceFile(path, `${sumOf(secret, path, code)}\n${code}`));
      return code;
    },
  };
}

/** Removes files that were not written for a long time: code of old versions of a source is never used again. */
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

/** The path is part of the HMAC, so that a file is not accepted under another name. */
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

/**
 * Returns the secret, which is created if needed. If two processes create it at once, the later file is kept. If the disk is full, the secret is
 * that of this process only, which can keep no code then.
 */
function readSecret(path: string): Buffer {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && stats.size === 32 && (stats.mode & 0o077) === 0) return fs.readFileSync(path);
  const made = randomBytes(32);
  return withRoom(() => replaceFile(path, made)) ? fs.readFileSync(path) : made;
}
