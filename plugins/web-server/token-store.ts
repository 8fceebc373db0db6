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

/** Milliseconds to wait for another process that changes the tokens. */
const PATIENCE_MS = 10_000;

const secret = { sha256: z.string().regex(/^[\da-f]{64}$/), scopes: z.array(z.enum(scopeNames)) };

const schema = z.strictObject({
  tokens: z.array(z.strictObject({ name: z.string(), ...secret, createdAt: z.string() })),
  pages: z.array(z.strictObject({ ...secret, until: z.iso.datetime() })).default([]),
});

/** What is stored of the tokens: only their digests, so that whoever reads the file cannot use them. */
export type Store = z.infer<typeof schema>;
export type StoredToken = Store["tokens"][number];
/** The token of a page in the browser, which nobody finds in a file. */
export type StoredPage = Store["pages"][number];

/** The folder of the tokens, `~/.scorel/host`. */
export const folder = () => join(userDir(), "host");
const storeFile = () => join(folder(), "tokens.json");

/** Everything stored. Throws WEB_TOKEN_STORE for a file that another user may have written, and for a damaged one. */
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

/** Replaces what is stored, within `changing`. Without pages, the file is as it was before there were any. */
export function writeStore({ tokens, pages }: Store): void {
  const content = pages.length > 0 ? { tokens, pages } : { tokens };
  replaceFile(storeFile(), `${JSON.stringify(content, null, 2)}\n`, { durable: true });
}

/** Changes what is stored while no other process does, so that two changes at once are both kept. */
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

/** Changes whenever what is stored does. */
export function stamp(): string {
  const stats = lstatSync(storeFile(), { bigint: true, throwIfNoEntry: false });
  return `${stats?.ino} ${stats?.mtimeNs} ${stats?.size}`;
}
