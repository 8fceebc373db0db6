/** The link that a host shows for a page. The pairing data is in its fragment, which browsers do not send. */

import { errors } from "../errors.ts";
import { MAX_ADDRESSES } from "./addresses.ts";
import { fromBase64url } from "./bytes.ts";
import { parseCode, showCode } from "./code.ts";

export interface PairingLink {
  code: string;
  /** Addresses of the host's relays, or only their authorities: `relay.example`. */
  relays: string[];
  /** Id of the host in base64url. */
  host?: string | undefined;
}

const ID_BYTES = 32;

/** Formats a link to a page. `relays` are full addresses; one of the usual form is shortened to its authority. */
export function showLink(page: string, { code, relays, host }: PairingLink): string {
  const each = relays.map((relay) => {
    const { protocol, pathname, host: authority } = new URL(relay);
    const isUsual = protocol === "wss:" && pathname === "/relay";
    return `relay=${isUsual ? authority : encodeURIComponent(relay)}`;
  });
  const fragment = [`pair=${code}`, ...each, host && `host=${host}`];
  return `${page.split("#", 1)[0]}#${fragment.filter(Boolean).join("&")}`;
}

/** Parses a link, or only its fragment. Throws RELAY_LINK, RELAY_CODE_FORM. */
export function parseLink(text: string): PairingLink {
  const [, fragment = ""] = /#(.*)$/s.exec(text.trim()) ?? [];
  const found = new URLSearchParams(fragment);
  const [code, host] = ["pair", "host"].map((name) => found.get(name));
  const relays = found.getAll("relay").filter(Boolean).slice(0, MAX_ADDRESSES);
  if (!code || relays.length === 0 || (host && fromBase64url(host)?.length !== ID_BYTES)) throw errors.RELAY_LINK();
  return { code: checkCode(code), relays, ...(host && { host }) };
}

/** Formats a code that a person has typed. Throws RELAY_CODE_FORM. */
export function checkCode(typed: string): string {
  return showCode(parseCode(typed));
}
