/**
 * The token of this page: in the storage of its tab, which no other site and no later tab can read, and which ends with the tab. A script
 * that got into the page could use it as long as the tab is open, and only for what the token allows.
 */
const KEY = "scorel.token";
/** A link from `scorel up` ends with this and a code that works once, which browsers send to nobody. */
const CODE = /^#code=([\w-]{1,256})$/;

/** The token of this tab. A code in the address is exchanged for one first, and removed from the address whatever becomes of it. */
export async function enter(): Promise<{ token: string | undefined; wasRefused: boolean }> {
  const [, code] = CODE.exec(location.hash) ?? [];
  if (code === undefined) return { token: sessionStorage.getItem(KEY) ?? undefined, wasRefused: false };
  history.replaceState(null, "", location.pathname + location.search);
  const answer = await fetch("access", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
  const token = answer.ok ? ((await answer.json()) as { token?: unknown }).token : undefined;
  if (typeof token !== "string") return { token: sessionStorage.getItem(KEY) ?? undefined, wasRefused: true };
  keepToken(token);
  return { token, wasRefused: false };
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}
