import { checkCode, fingerprintOfId, parseLink, relayAddress } from "@scorel/relay/browser";

/** What a page pairs with. */
export interface Wanted {
  code: string;
  /** The whole address of the relay. */
  relay: string;
  /** The id of the host, if a link has named it. */
  host?: string | undefined;
}

/** Reads what a person has entered: a link, or a code and a relay. Throws RELAY errors. */
export function wantedOf(code: string, relay: string): Wanted {
  if (!code.includes("#")) return { code: checkCode(code), relay: relayAddress(relay) };
  const link = parseLink(code);
  return { ...link, relay: relayAddress(link.relay) };
}

/** What a link leads to, as people see it; undefined for what is no link. */
export function shownLink(code: string): { relay: string; host: string | undefined } | undefined {
  if (!code.includes("#")) return undefined;
  try {
    const { relay, host } = wantedOf(code, "");
    return { relay, host: host && fingerprintOfId(host) };
  } catch {
    return undefined;
  }
}

/** What this browser is called at first. */
export function browserName(): string {
  const { userAgent } = navigator;
  const browser = /\b(Edg|Firefox|Chrome|Safari)\b/.exec(userAgent)?.[1]?.replace("Edg", "Edge") ?? "Browser";
  const system = /\b(Android|iPhone|iPad|Windows|Mac OS|CrOS|Linux)\b/.exec(userAgent)?.[1];
  return system === undefined ? browser : `${browser}, ${system}`;
}
