import { isLoopback } from "@scorel/kit/net/loopback";
import { errors } from "../errors.ts";

/** Checks and completes the address of a relay: `relay.example` or `wss://relay.example/relay`. Throws RELAY_ADDRESS, RELAY_PLAIN. */
export function relayAddress(given: string, { insecure = false, list = given } = {}): string {
  const text = given.trim();
  const url = /^[a-z]+:\/\//i.test(text) ? parsed(text.replace(/^http/i, "ws")) : parsed(`wss://${text}`);
  const isBare = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isBare || !/^wss?:$/.test(url.protocol)) throw errors.RELAY_ADDRESS({ given: withoutLogin(text, list) });
  if (url.protocol === "ws:" && !insecure && !isLoopback(url.hostname))
    throw errors.RELAY_PLAIN({ address: url.origin });
  if (!/\/relay$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, "")}/relay`;
  return url.href;
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * The part of an address that an error may show. A user or a password may contain any character, also those that end a host, and a comma
 * that divides a list. So only what follows the last @ is shown, and nothing of a part of a list that has its @ elsewhere; nothing of a
 * query either.
 */
export function withoutLogin(address: string, list = address): string {
  const at = address.lastIndexOf("@");
  const isInQuery = at >= 0 && /[?#]/.test(address.slice(0, at));
  if (isInQuery || (at < 0 && list.includes("@"))) return "…";
  const [shown = ""] = address.slice(at + 1).split(/[?#]/);
  return at < 0 ? shown : `…@${shown}`;
}
