import { isLoopback } from "@scorel/kit/net/loopback";

/**
 * Push services of browsers: Chrome and Edge on phones, Firefox, Safari, Edge. A name that begins with a point matches all hosts that end
 * with it.
 */
const KNOWN = [
  "fcm.googleapis.com",
  "updates.push.services.mozilla.com",
  ".push.services.mozilla.com",
  ".push.apple.com",
  ".notify.windows.com",
];

/**
 * The URL to which pushes of a browser are sent. Undefined if it does not belong to a push service: otherwise a page could make the host
 * send requests anywhere.
 */
export function endpointIn(text: string, further: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash) return undefined;
  return isKnown(url) || further.includes(url.origin) ? url : undefined;
}

/** Whether the configuration names this push service. Then it may be at a private address. */
export function isNamed({ origin }: URL, further: readonly string[]): boolean {
  return further.includes(origin);
}

/** Whether the configuration may name this push service: an origin with https, or one of this computer. */
export function isServiceOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === text && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
}

function isKnown({ protocol, hostname, port }: URL): boolean {
  if (protocol !== "https:" || port !== "") return false;
  return KNOWN.some((name) => (name.startsWith(".") ? hostname.endsWith(name) : hostname === name));
}
