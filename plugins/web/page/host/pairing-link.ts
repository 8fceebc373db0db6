import { keepTab, readTab, removeTab } from "./tab.ts";

/**
 * What this page is about to pair with, in the `sessionStorage` of the tab. A pairing link leads to the page with the data in its fragment,
 * and the page has to be reloaded before it may connect to a relay.
 */
const KEY = "scorel.pairing";
/** Matches the fragment of a pairing link. A longer one is ignored. */
const LINK = /^#pair=.{1,1000}$/;

export interface Pending {
  /** The fragment of a link, or the code that a person has typed. */
  code: string;
  relay?: string;
  /** The name of this browser for the host's user. */
  name?: string;
  /** Whether the person has agreed, and the page may connect to the relay. Never set by a link. */
  isAgreed?: boolean;
}

/** The fragment of the link that has opened this page if the browser stores nothing, so that no other page finds it; otherwise empty. */
export const unstoredLink = takeLink();

/** Reads the link in the URL, and removes it there. */
function takeLink(): string {
  const { hash } = location;
  if (!LINK.test(hash)) return "";
  const isStored = keepPending({ code: hash });
  history.replaceState(null, "", location.pathname + location.search);
  return isStored ? "" : hash;
}

/** Opening another link in this tab changes only the fragment: the page then reloads. */
addEventListener("hashchange", () => {
  if (LINK.test(location.hash)) location.reload();
});

/** Whether the page is about to pair with a host. */
export function isPending(): boolean {
  return readTab(KEY) !== null;
}

/** Stores what to pair with until the page is reloaded. Returns false if the browser stores nothing, so that a reload would lose it. */
export function keepPending(pending: Pending): boolean {
  return keepTab(KEY, JSON.stringify(pending));
}

export function forgetPending(): void {
  removeTab(KEY);
}

let read: Pending | undefined;

/** Returns what to pair with, and removes it from the tab: a code is not tried again when the page is reloaded. */
export function pending(): Pending | undefined {
  const text = readTab(KEY);
  removeTab(KEY);
  if (text !== null) read = JSON.parse(text) as Pending;
  return read;
}

/** Whether pairing with this has not been started before. React may create a form more than once before it is shown. */
export function claim(wanted: Pending): boolean {
  const isFirst = read === wanted;
  read = undefined;
  return isFirst;
}
