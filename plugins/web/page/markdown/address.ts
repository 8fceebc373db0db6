const SCHEMES = ["http:", "https:", "mailto:"];

/** An address that a link may have, written as browsers understand it; undefined for any other. */
export function safeAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return SCHEMES.includes(url.protocol) ? url.href : undefined;
}

/** The host of an address as it is resolved, so that letters of other scripts that look alike are told apart. */
export function hostShown(address: string): string | undefined {
  const safe = safeAddress(address);
  return safe === undefined ? undefined : new URL(safe).host || new URL(safe).pathname;
}
