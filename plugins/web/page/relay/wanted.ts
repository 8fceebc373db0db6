import { checkCode, fingerprintOfId, parseLink, relayAddresses } from "@scorel/relay/browser";

/** What a page pairs with. */
export interface Wanted {
  code: string;
  /** The whole addresses of the host's relays. */
  relays: string[];
  /** The id of the host, if a link has named it. */
  host?: string | undefined;
}

/** Reads what a person has entered: a link, or a code and relays, separated by commas. Throws RELAY errors. */
export function wantedOf(code: string, relay: string): Wanted {
  if (!code.includes("#")) return { code: checkCode(code), relays: relayAddresses(relay) };
  const link = parseLink(code);
  return { ...link, relays: relayAddresses(link.relays) };
}

/** What a link leads to, as people see it; undefined for what is no link. */
export function shownLink(code: string): { relay: string; host: string | undefined } | undefined {
  if (!code.includes("#")) return undefined;
  try {
    const { relays, host } = wantedOf(code, "");
    return { relay: relays.join(", "), host: host && fingerprintOfId(host) };
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
