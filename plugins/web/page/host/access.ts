/**
 * The token of this page: in the storage of its tab, which no other site and no later tab can read, and which ends with the tab. A script
 * that got into the page could use it as long as the tab is open, and only for what the token allows.
 */
const KEY = "scorel.token";
/** A link from `scorel up` ends with this and a code that works once, which browsers send to nobody. */
const CODE = /^#code=([\w-]{1,256})$/;

/** The code until the host has answered: a page that is loaded anew before that, or cannot reach the host, tries again. */
const CODE_KEY = "scorel.code";

/** The code of the link that this page was opened with. It is read before anything else can lead the page to another place. */
const code = takeCode();

/** Reads the code in the address, and removes it there. */
function takeCode(): string | undefined {
  const [, found] = CODE.exec(location.hash) ?? [];
  if (found === undefined) return sessionStorage.getItem(CODE_KEY) ?? undefined;
  sessionStorage.setItem(CODE_KEY, found);
  history.replaceState(null, "", location.pathname + location.search);
  return found;
}

/** Another link that is opened in this tab changes only the fragment: the page then begins anew, and is let in by it. */
addEventListener("hashchange", () => {
  if (CODE.test(location.hash)) location.reload();
});

/** How a page has been let in. */
interface Entering {
  token: string | undefined;
  /** The code of its link was not taken. */
  wasRefused: boolean;
  /** Where the person was who has made the link. */
  directory?: string;
}

/** The token of this tab. A code in the address is exchanged for one first, whatever becomes of it. */
export async function enter(): Promise<Entering> {
  if (code === undefined) return { token: keptToken(), wasRefused: false };
  const answer = await fetch("access", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
  const { token, directory } = (answer.ok ? await answer.json() : {}) as { token?: unknown; directory?: unknown };
  sessionStorage.removeItem(CODE_KEY);
  if (typeof token !== "string") return { token: keptToken(), wasRefused: true };
  keepToken(token);
  return { token, wasRefused: false, ...(typeof directory === "string" && { directory }) };
}

/** Keeps the token for a device; without its id, that for the host of this page. */
export function keepToken(token: string, device = ""): void {
  sessionStorage.setItem(keyOf(device), token);
}

export function keptToken(device = ""): string | undefined {
  return sessionStorage.getItem(keyOf(device)) ?? undefined;
}

export function forgetToken(device = ""): void {
  sessionStorage.removeItem(keyOf(device));
}

/** Forgets the tokens for all devices. */
export function forgetTokens(): void {
  for (const key of Object.keys(sessionStorage))
    if (key === KEY || key.startsWith(keyOf(" ").trimEnd())) sessionStorage.removeItem(key);
}

function keyOf(device: string): string {
  return device === "" ? KEY : `${KEY}.${device}`;
}
