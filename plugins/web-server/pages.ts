import { createHash, randomBytes } from "node:crypto";
import type { Scope } from "@scorel/kit/values/scopes";
import { idOf } from "./proofs.ts";
import { changing, readStore, type StoredPage, writeStore } from "./token-store.ts";

/** Milliseconds for which the token of a page in the browser is valid. */
const PAGE_MS = 12 * 60 * 60_000;
/** Name under which the tokens of pages are listed. */
export const PAGE = "page";
/** The most pages with a valid token at the same time. A new one beyond that ends the oldest. */
const MOST = 64;
/** The most ended tokens that are still kept. With them, the host can prove to their pages who it is before it refuses them. */
const MOST_ENDED = 64;
/** Expiry date of an ended token. It lies so far back that setting the clock back does not make the token valid again. */
const LONG_AGO = new Date(0).toISOString();
const BYTES = 32;

/** Makes a token with these scopes for a page. Only its digest is stored, in a file, so that the token is valid after a restart, too. */
export async function makePageToken(scopes: readonly Scope[]): Promise<string> {
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

/**
 * Whether the token of a page is valid. An expiry date later than that of a new token means that the clock was set back: then it is not.
 */
export function isOpen({ until }: StoredPage, now = Date.now()): boolean {
  const left = Date.parse(until) - now;
  return left > 0 && left <= PAGE_MS;
}

/** Pages with a valid token. Throws WEB_TOKEN_STORE. */
export function openPages(): StoredPage[] {
  return readStore().pages.filter((page) => isOpen(page));
}

/** Whether the token with this id is valid, be it of a page or not. Throws WEB_TOKEN_STORE. */
export function isLetIn(id: string): boolean {
  return [...readStore().tokens, ...openPages()].some(({ sha256 }) => idOf(sha256) === id);
}

/** The ended tokens of `pages` together with `more`, as they are stored: the latest last, and at most MOST_ENDED. */
export function endedOf(pages: readonly StoredPage[], more: readonly { sha256: string }[] = []): StoredPage[] {
  const ended = [...pages.filter((page) => !isOpen(page)), ...more];
  return ended.slice(-MOST_ENDED).map(({ sha256 }) => ({ sha256, scopes: [], until: LONG_AGO }));
}

/** Whether the token of a page has expired but is not yet stored as ended. */
export function hasJustEnded(page: StoredPage): boolean {
  return !isOpen(page) && page.until !== LONG_AGO;
}

/** Stores expired tokens of pages as ended, so that setting the clock back does not make them valid again. */
export async function endOldPages(): Promise<void> {
  await changing(() => {
    const { tokens, pages } = readStore();
    if (pages.some(hasJustEnded))
      writeStore({ tokens, pages: [...endedOf(pages), ...pages.filter((page) => isOpen(page))] });
  });
}

/** Ends the token of one page, by its id. Returns false if no page has a valid token with this id. */
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

/** Ends the tokens of all pages. Returns their number. */
export async function removePages(): Promise<number> {
  return changing(() => {
    const { tokens, pages } = readStore();
    const open = pages.filter((page) => isOpen(page));
    if (open.length > 0) writeStore({ tokens, pages: endedOf(pages, open) });
    return open.length;
  });
}
