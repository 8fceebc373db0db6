import { isLoopback } from "@scorel/kit/net/loopback";
import { errors } from "../errors.ts";

/** Checks and completes the address of a relay: `relay.example` or `wss://relay.example/relay`. Throws RELAY_ADDRESS, RELAY_PLAIN. */
export function relayAddress(given: string, { insecure = false } = {}): string {
  const text = given.trim();
  const url = /^[a-z]+:\/\//i.test(text) ? parsed(text.replace(/^http/i, "ws")) : parsed(`wss://${text}`);
  const isBare = url && !url.username && !url.password && !url.search && !url.hash;
  if (!isBare || !/^wss?:$/.test(url.protocol)) throw errors.RELAY_ADDRESS({ given: withoutPassword(text) });
  if (url.protocol === "ws:" && !insecure && !isLoopback(url.hostname))
    throw errors.RELAY_PLAIN({ address: url.origin });
  if (!/\/relay$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/$/, "")}/relay`;
  return url.href;
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Removes what precedes an @ in an address, which may contain a password. */
export function withoutPassword(address: string): string {
  return address.replace(/^(\w+:\/\/)?[^/@]*@/, "$1…@");
}
