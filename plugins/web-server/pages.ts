import { createHash, randomBytes } from "node:crypto";
import type { Scope } from "@scorel/kit/values/scopes";
import { idOf } from "./proofs.ts";
import { changing, readStore, type StoredPage, writeStore } from "./token-store.ts";

/** How long a page in the browser can use its token, in milliseconds. */
export const PAGE_MS = 12 * 60 * 60_000;
/** The name under which people find the tokens of pages. */
export const PAGE = "page";
/** Pages at a time; the oldest makes room for a new one. */
const MOST = 64;
/** Tokens that have ended and are still known, so that the host can prove to their pages who it is, and then refuse them. */
const MOST_ENDED = 64;
/** The end of such a token: long ago, also when the clock is set back. */
const LONG_AGO = new Date(0).toISOString();
const BYTES = 32;

/** Lets a page in with these scopes. Returns its token, of which only the digest is stored, so that a new host knows the page, too. */
export async function letPageIn(scopes: readonly Scope[]): Promise<string> {
  const token = `scorel_${randomBytes(BYTES).toString("base64url")}`;
  const sha256 = createHash("sha256").update(token).digest("hex");
  await changing(() => {
    const { tokens, pages } = readStore();
    const until = new Date(Date.now() + PAGE_MS).toISOString();
    const open = [...pages.filter((page) => isOpen(page)), { sha256, scopes: [...scopes], until }];
    const over = open.splice(0, open.length - MOST);
    writeStore({ tokens, pages: [...endedOf(pages, over), ...open] });
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

/** Whether a token, also one that is not a page's, lets somebody in now. */
export function isLetIn(id: string): boolean {
  return [...readStore().tokens, ...openPages()].some(({ sha256 }) => idOf(sha256) === id);
}

/** The tokens that have ended, with further ones, the latest last. They let nobody in. */
export function endedOf(pages: readonly StoredPage[], more: readonly { sha256: string }[] = []): StoredPage[] {
  const ended = [...pages.filter((page) => !isOpen(page)), ...more];
  return ended.slice(-MOST_ENDED).map(({ sha256 }) => ({ sha256, scopes: [], until: LONG_AGO }));
}

/** Whether a page's time has passed, and it is not yet stored as one that has ended. */
export function hasJustEnded(page: StoredPage): boolean {
  return !isOpen(page) && page.until !== LONG_AGO;
}

/** Ends pages whose time has passed for good, also when the clock is set back. */
export async function endOldPages(): Promise<void> {
  await changing(() => {
    const { tokens, pages } = readStore();
    if (pages.some(hasJustEnded))
      writeStore({ tokens, pages: [...endedOf(pages), ...pages.filter((page) => isOpen(page))] });
  });
}

/** Ends the token of one page, by its id. Returns whether there was one. */
export async function endPage(id: string): Promise<boolean> {
  return changing(() => {
    const { tokens, pages } = readStore();
    const open = pages.filter((page) => isOpen(page));
    const found = open.find(({ sha256 }) => idOf(sha256) === id);
    if (!found) return false;
    writeStore({ tokens, pages: [...endedOf(pages, [found]), ...open.filter((page) => page !== found)] });
    return true;
  });
}

/** Ends the tokens of all pages. Returns how many there were. */
export async function removePages(): Promise<number> {
  return changing(() => {
    const { tokens, pages } = readStore();
    const open = pages.filter((page) => isOpen(page));
    if (open.length > 0) writeStore({ tokens, pages: endedOf(pages, open) });
    return open.length;
  });
}
