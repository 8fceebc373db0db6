import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { readIfPresent, replaceFile } from "@scorel/kit/files/private";
import { inStateFolder, removeStateFile } from "@scorel/kit/files/state-folder";
import type { Scope } from "@scorel/kit/values/scopes";
import { errors } from "./errors.ts";
import { endedOf, isOpen, PAGE } from "./pages.ts";
import { changing, folder, readStore, type StoredToken, writeStore } from "./token-store.ts";

/** Name of the token that is made for the owner of the home. */
export const OWNER = "owner";
const BYTES = 32;

/** Names of the files that this module writes. */
const OWN_FILE = /^(?:tokens\.json|[a-z\d][a-z\d-]{0,31}\.(?:token|curlrc)|link-[\w-]{22}\.html)$/;

/** Path of the file in which the user finds a token. */
export const tokenFile = (name: string) => join(folder(), `${name}.token`);

/** Path of the curl configuration that sends a token. */
const curlFile = (name: string) => join(folder(), `${name}.curlrc`);

/** Writes a curl configuration that sends a token, so that the token is on no command line. Returns its path. Throws WEB_TOKEN_UNKNOWN. */
export function writeCurlConfig(name: string): string {
  assertName(name);
  const token = readIfPresent(tokenFile(name))?.trim();
  if (token === undefined) throw errors.WEB_TOKEN_UNKNOWN({ name, known: storedTokens().map((each) => each.name) });
  const lines = [`Authorization: Bearer ${token}`, "Content-Type: application/json"];
  replaceFile(curlFile(name), lines.map((line) => `header = "${line}"\n`).join(""));
  return curlFile(name);
}

/** The stored tokens. Throws WEB_TOKEN_STORE. */
export function storedTokens(): StoredToken[] {
  return readStore().tokens;
}

/**
 * Makes a token, and writes it to its file. It replaces the token with the same name, which `scopes` gets as its argument. Replacing a
 * token also ends the tokens of pages, which may have been made with it.
 */
export async function writeToken(name: string, scopes: (old: StoredToken | undefined) => readonly Scope[]) {
  assertName(name);
  if (name === PAGE) throw errors.WEB_TOKEN_PAGE();
  return changing(() => {
    const token = `scorel_${randomBytes(BYTES).toString("base64url")}`;
    const { tokens, pages } = readStore();
    const old = tokens.find((each) => each.name === name);
    const sha256 = digestOf(token).toString("hex");
    const path = tokenFile(name);
    replaceFile(path, `${token}\n`, { durable: true });
    const made = { name, sha256, scopes: [...scopes(old)], createdAt: new Date().toISOString() };
    const open = pages.filter((page) => isOpen(page));
    const others = tokens.filter((each) => each !== old);
    writeStore({ tokens: [...others, made], pages: old ? endedOf(pages, [...open, old]) : pages });
    if (existsSync(curlFile(name))) writeCurlConfig(name);
    return { path, old, scopes: made.scopes, endedPages: old !== undefined && open.length > 0 };
  });
}

function assertName(name: string): void {
  if (!/^[a-z\d][a-z\d-]{0,31}$/.test(name)) throw errors.WEB_TOKEN_NAME({ name });
}

/** Removes a token and its file, and ends the tokens of pages. Throws WEB_TOKEN_UNKNOWN. */
export async function removeToken(name: string): Promise<void> {
  await changing(() => {
    const { tokens, pages } = readStore();
    const old = tokens.find((each) => each.name === name);
    if (!old) throw errors.WEB_TOKEN_UNKNOWN({ name, known: tokens.map((each) => each.name) });
    const open = pages.filter((page) => isOpen(page));
    writeStore({ tokens: tokens.filter((each) => each !== old), pages: endedOf(pages, [...open, old]) });
    for (const path of [tokenFile(name), curlFile(name)]) removeStateFile(folder(), basename(path));
  });
}

/** Describes the tokens for a reset, and how to delete them. Works also when they cannot be read. */
export function keptTokens(): { what: string; clear(): Promise<void> } | undefined {
  const files = inStateFolder(folder(), (opened) => opened.names().filter((name) => OWN_FILE.test(name))) ?? [];
  if (files.length === 0) return undefined;
  const names = files.flatMap((name) => (name.endsWith(".token") ? name.slice(0, -".token".length) : []));
  const clear = () =>
    changing(() => {
      for (const name of files) removeStateFile(folder(), name);
    });
  return {
    what: `the tokens (${names.join(", ") || "none"}); clients and pages in browsers that use them can no longer connect`,
    clear,
  };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
