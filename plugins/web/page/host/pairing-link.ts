/**
 * What this page is to pair with. A link to pair with leads to the page with it in its fragment, and the page has to be loaded anew before it
 * may connect to a relay: until then it is in the storage of the tab.
 */
const KEY = "scorel.pairing";
/** What links to pair with begin with. Longer ones are none. */
const LINK = /^#pair=.{1,1000}$/;

export interface Pending {
  /** The fragment of a link, or the code that a person has typed. */
  code: string;
  relay?: string;
  /** What the host's user shall see of this browser. */
  name?: string;
  /** The person has agreed, and the page may connect to the relay. Never so for what a link has brought. */
  isAgreed?: boolean;
}

takeLink();

/** Reads the link in the address, and removes it there. */
function takeLink(): void {
  if (!LINK.test(location.hash)) return;
  keepPending({ code: location.hash });
  history.replaceState(null, "", location.pathname + location.search);
}

/** Another link that is opened in this tab changes only the fragment: the page then begins anew. */
addEventListener("hashchange", () => {
  if (LINK.test(location.hash)) location.reload();
});

export function isPending(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

export function keepPending(pending: Pending): void {
  sessionStorage.setItem(KEY, JSON.stringify(pending));
}

let read: Pending | undefined;

/** What is to be paired with. It is forgotten by the tab: a code is not tried again when the page is loaded again. */
export function pending(): Pending | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  if (text !== null) read = JSON.parse(text) as Pending;
  return read;
}

/** Whether nobody has begun to pair with this before: a form that is made may be made again before it is shown. */
export function claim(wanted: Pending): boolean {
  const isFirst = read === wanted;
  read = undefined;
  return isFirst;
}
