import { createHash, randomBytes } from "node:crypto";
import type { Scope } from "./scopes.ts";
import { changing, readStore, type StoredPage, writeStore } from "./token-store.ts";

/** How long a page in the browser can use its token, in milliseconds. */
export const PAGE_MS = 12 * 60 * 60_000;
/** The name under which people find the tokens of pages. */
export const PAGE = "page";
/** Pages at a time; the oldest makes room for a new one. */
const MOST = 64;
const BYTES = 32;

/** Lets a page in with these scopes. Returns its token, of which only the digest is stored, so that a new host knows the page, too. */
export async function letPageIn(scopes: readonly Scope[]): Promise<string> {
  const token = `scorel_${randomBytes(BYTES).toString("base64url")}`;
  const sha256 = createHash("sha256").update(token).digest("hex");
  await changing(() => {
    const { tokens, pages } = readStore();
    const others = pages.filter((page) => isOpen(page)).slice(1 - MOST);
    const until = new Date(Date.now() + PAGE_MS).toISOString();
    writeStore({ tokens, pages: [...others, { sha256, scopes: [...scopes], until }] });
  });
  return token;
}

/** Whether a page may still use its token. One that ends later than a new one would is of a clock that was set back. */
export function isOpen({ until }: StoredPage, now = Date.now()): boolean {
  const left = Date.parse(until) - now;
  return left > 0 && left <= PAGE_MS;
}

/** The pages that are let in now. Throws WEB_TOKEN_STORE. */
export function openPages(): StoredPage[] {
  return readStore().pages.filter((page) => isOpen(page));
}

/** Removes what is stored of pages whose time has passed. */
export async function forgetEndedPages(): Promise<void> {
  await changing(() => {
    const { tokens, pages } = readStore();
    const open = pages.filter((page) => isOpen(page));
    if (open.length < pages.length) writeStore({ tokens, pages: open });
  });
}

/** Ends the tokens of all pages. Returns how many there were. */
export async function removePages(): Promise<number> {
  return changing(() => {
    const { tokens, pages } = readStore();
    if (pages.length > 0) writeStore({ tokens, pages: [] });
    return pages.filter((page) => isOpen(page)).length;
  });
}
