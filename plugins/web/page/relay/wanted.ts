import { checkCode, fingerprintOfId, parseLink, relayAddresses } from "@scorel/relay/browser";

/** The host that a page is about to pair with. */
export interface Wanted {
  code: string;
  /** Full addresses of the host's relays. */
  relays: string[];
  /** Id of the host, if the pairing link contained it. */
  host?: string | undefined;
}

/** Parses what a person has entered: a link, or a code and relays, separated by commas. Throws RELAY errors. */
export function wantedOf(code: string, relay: string): Wanted {
  if (!code.includes("#")) return { code: checkCode(code), relays: relayAddresses(relay) };
  const link = parseLink(code);
  return { ...link, relays: relayAddresses(link.relays) };
}

/** Where a link leads to, for people; undefined if the text is not a link. */
export function shownLink(code: string): { relay: string; host: string | undefined } | undefined {
  if (!code.includes("#")) return undefined;
  try {
    const { relays, host } = wantedOf(code, "");
    return { relay: relays.join(", "), host: host && fingerprintOfId(host) };
  } catch {
    return undefined;
  }
}

/** The default name of this browser. */
export function browserName(): string {
  const { userAgent } = navigator;
  const browser = /\b(Edg|Firefox|Chrome|Safari)\b/.exec(userAgent)?.[1]?.replace("Edg", "Edge") ?? "Browser";
  const system = /\b(Android|iPhone|iPad|Windows|Mac OS|CrOS|Linux)\b/.exec(userAgent)?.[1];
  return system === undefined ? browser : `${browser}, ${system}`;
}
