/** The link that a host shows for a page: what to pair with stands in its fragment, which browsers send to nobody. */

import { errors } from "../errors.ts";
import { fromBase64url } from "./bytes.ts";
import { parseCode, showCode } from "./code.ts";

export interface PairingLink {
  code: string;
  /** The address of the relay, or its authority: `relay.example`. */
  relay: string;
  /** The id of the host in base64url. */
  host?: string | undefined;
}

const ID_BYTES = 32;

/** The link to a page. `relay` is the relay's whole address; the usual form of it is shortened to its authority. */
export function showLink(page: string, { code, relay, host }: PairingLink): string {
  const { protocol, pathname, host: authority } = new URL(relay);
  const isUsual = protocol === "wss:" && pathname === "/relay";
  const fragment = [`pair=${code}`, `relay=${isUsual ? authority : encodeURIComponent(relay)}`, host && `host=${host}`];
  return `${page.split("#", 1)[0]}#${fragment.filter(Boolean).join("&")}`;
}

/** Reads a link, or the fragment of one. Throws RELAY_LINK, RELAY_CODE_FORM. */
export function parseLink(text: string): PairingLink {
  const [, fragment = ""] = /#(.*)$/s.exec(text.trim()) ?? [];
  const found = new URLSearchParams(fragment);
  const [code, relay, host] = ["pair", "relay", "host"].map((name) => found.get(name));
  if (!code || !relay || (host && fromBase64url(host)?.length !== ID_BYTES)) throw errors.RELAY_LINK();
  return { code: checkCode(code), relay, ...(host && { host }) };
}

/** A code in the form that is shown, from what a person has typed. Throws RELAY_CODE_FORM. */
export function checkCode(typed: string): string {
  return showCode(parseCode(typed));
}
