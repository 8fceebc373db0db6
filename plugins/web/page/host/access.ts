import { keepTab, readTab, removeTab, tabKeys } from "./tab.ts";
import { askTabs } from "./token-of-tabs.ts";

/**
 * The token of this page is in the `sessionStorage` of its tab: no other site can read it, and it ends with the tab. A new tab gets it only
 * from an open one. A script that got into the page could use it only while a tab is open, and only for what the token allows.
 */
const KEY = "scorel.token";
/** A link from `scorel up` ends with this and a code that works once. Browsers do not send the fragment of a URL. */
const CODE = /^#code=([\w-]{1,256})$/;

/** Keeps the code until the host has answered, so that a page that is reloaded before, or cannot reach the host, tries again. */
const CODE_KEY = "scorel.code";

/** The code of the link that has opened this page. Read at once, before anything can change the URL. */
const code = takeCode();

/** Reads the code from the URL, and removes it there. */
function takeCode(): string | undefined {
  const [, found] = CODE.exec(location.hash) ?? [];
  if (found === undefined) return readTab(CODE_KEY) ?? undefined;
  keepTab(CODE_KEY, found);
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}

/** Opening another link in this tab changes only the fragment: the page then reloads, to use the new code. */
addEventListener("hashchange", () => {
  if (CODE.test(location.hash)) location.reload();
});

/** The result of `enter`. */
interface Entering {
  token: string | undefined;
  /** Whether the host has refused the code of the link. */
  wasRefused: boolean;
  /** Directory in which the person who made the link was working. */
  directory?: string;
}

/**
 * The token of this tab, or else of another open one. If the URL contains a code, it is first exchanged for a token. Throws if the host
 * cannot be reached.
 */
export async function enter(): Promise<Entering> {
  if (code === undefined) return { token: keptToken() ?? (await tokenOfTabs()), wasRefused: false };
  const answer = await fetch("access", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
  // A proxy answers in this way while the host starts. The code is still valid.
  if (answer.status >= 500) throw new Error(`The server answered with status ${answer.status}.`);
  const { token, directory } = (answer.ok ? await answer.json() : {}) as { token?: unknown; directory?: unknown };
  removeTab(CODE_KEY);
  if (typeof token !== "string") return { token: keptToken(), wasRefused: true };
  keepToken(token);
  return { token, wasRefused: false, ...(typeof directory === "string" && { directory }) };
}

/** The token of another open tab, which this tab then has, too. */
async function tokenOfTabs(): Promise<string | undefined> {
  const token = await askTabs();
  if (token !== undefined) keepToken(token);
  return token;
}

/** Stores the token for a device. Without its id, for the page's own host. */
export function keepToken(token: string, device = ""): void {
  keepTab(keyOf(device), token);
}

/** The token for a device; undefined if this tab has none. Without its id, for the page's own host. */
export function keptToken(device = ""): string | undefined {
  return readTab(keyOf(device)) ?? undefined;
}

export function forgetToken(device = ""): void {
  removeTab(keyOf(device));
}

/** Removes the tokens for all devices. */
export function forgetTokens(): void {
  for (const key of tabKeys()) if (key === KEY || key.startsWith(keyOf(" ").trimEnd())) removeTab(key);
}

function keyOf(device: string): string {
  return device === "" ? KEY : `${KEY}.${device}`;
}
