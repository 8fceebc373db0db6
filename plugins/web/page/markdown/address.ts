const SCHEMES = ["http:", "https:", "mailto:"];

/** The URL of a link, normalized by the browser; undefined if links may not lead there. */
export function safeAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return SCHEMES.includes(url.protocol) ? url.href : undefined;
}

/** The host of a URL as it is resolved, in ASCII, so that similar letters of other scripts can be told apart. */
export function hostShown(address: string): string | undefined {
  const safe = safeAddress(address);
  return safe === undefined ? undefined : new URL(safe).host || new URL(safe).pathname;
}
