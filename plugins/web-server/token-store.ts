import { closeSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { userDir } from "@scorel/kit/files/home";
import { takeLock } from "@scorel/kit/files/lock";
import { openRegular } from "@scorel/kit/files/open";
import { replaceFile } from "@scorel/kit/files/private";
import { flawOf } from "@scorel/kit/files/private-folder";
import { inOwnFolder } from "@scorel/kit/files/state-folder";
import { scopeNames } from "@scorel/kit/values/scopes";
import { z } from "zod";
import { errors } from "./errors.ts";

/** Milliseconds to wait for another process that is changing the tokens. */
const PATIENCE_MS = 10_000;

const secret = { sha256: z.string().regex(/^[\da-f]{64}$/), scopes: z.array(z.enum(scopeNames)) };

const schema = z.strictObject({
  tokens: z.array(z.strictObject({ name: z.string(), ...secret, createdAt: z.string() })),
  pages: z.array(z.strictObject({ ...secret, until: z.iso.datetime() })).default([]),
});

/** What is stored about tokens: only digests, so that nobody who reads the file can use them. */
export type Store = z.infer<typeof schema>;
export type StoredToken = Store["tokens"][number];
/** The token of a page in the browser. Unlike other tokens, it is written to no file of its own. */
export type StoredPage = Store["pages"][number];

/** The folder of the tokens, `~/.scorel/host`. */
export const folder = () => join(userDir(), "host");
const storeFile = () => join(folder(), "tokens.json");

/** Reads everything that is stored. Throws WEB_TOKEN_STORE for a damaged file, and for one that another user may have written. */
export function readStore(): Store {
  const path = storeFile();
  try {
    const file = openRegular(path);
    if (!file) throw new Error("it is not a regular file");
    try {
      const flaw = flawOf(file.stat);
      if (flaw !== undefined) throw new Error(flaw);
      return schema.parse(JSON.parse(readFileSync(file.fd, "utf8")), { jitless: true });
    } finally {
      closeSync(file.fd);
    }
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return { tokens: [], pages: [] };
    throw errors.WEB_TOKEN_STORE({ path, problem: messageOf(thrown) }, { cause: thrown });
  }
}

/**
 * Replaces what is stored. Call it within `changing`. Without pages, it omits `pages`, so that the file has the form of earlier versions.
 */
export function writeStore({ tokens, pages }: Store): void {
  const content = pages.length > 0 ? { tokens, pages } : { tokens };
  replaceFile(storeFile(), `${JSON.stringify(content, null, 2)}\n`, { durable: true });
}

/** Runs `work` while no other process changes what is stored, so that no change is lost. */
export async function changing<R>(work: () => R): Promise<R> {
  inOwnFolder(folder(), () => {});
  const lock = await takeLock(`${storeFile()}.lock`, PATIENCE_MS);
  if (!lock) throw errors.WEB_TOKEN_BUSY({ path: `${storeFile()}.lock` });
  try {
    return work();
  } finally {
    lock.release();
  }
}

/** A value that differs after each change of what is stored, also when it can no longer be reached: then `readStore` says why. */
export function stamp(): string {
  try {
    const stats = lstatSync(storeFile(), { bigint: true });
    return `${stats.ino} ${stats.mtimeNs} ${stats.size}`;
  } catch (thrown) {
    return codeOf(thrown);
  }
}
