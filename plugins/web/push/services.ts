import { isLoopback } from "@scorel/kit/net/loopback";

/** The push services of browsers: Chrome and Edge on phones, Firefox, Safari, Edge. A name after a point stands for all that end with it. */
const KNOWN = [
  "fcm.googleapis.com",
  "updates.push.services.mozilla.com",
  ".push.services.mozilla.com",
  ".push.apple.com",
  ".notify.windows.com",
];

/** Where pushes of a browser go. Undefined for an address that is none of a push service: a page could make the host send anywhere else. */
export function endpointIn(text: string, further: readonly string[]): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash) return undefined;
  return isKnown(url) || further.includes(url.origin) ? url : undefined;
}

/** Whether somebody has named this push service in the configuration, and so also where it is. */
export function isNamed({ origin }: URL, further: readonly string[]): boolean {
  return further.includes(origin);
}

/** Whether the configuration may name a push service: an origin with https, or one of this computer. */
export function isServiceOrigin(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.origin === text && (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname)));
}

function isKnown({ protocol, hostname, port }: URL): boolean {
  if (protocol !== "https:" || port !== "") return false;
  return KNOWN.some((name) => (name.startsWith(".") ? hostname.endsWith(name) : hostname === name));
}
