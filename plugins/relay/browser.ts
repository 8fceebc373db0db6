/**
 * What a page needs to pair with hosts and to reach them through a relay. Nothing here stores anything or needs Node.js; the page stores
 * the keys and the paired hosts.
 */

import type { Channel } from "@scorel/host/client";
import { errors } from "./errors.ts";
import type { BinarySocket } from "./peer/connection.ts";
import { type DialOptions, dialHost } from "./peer/dial.ts";
import { type KnownRelays, relaysOf, takenFrom } from "./peer/known-relays.ts";
import { joinHost } from "./peer/pair.ts";
import { endsSoon, renewedGrant } from "./peer/renew.ts";
import { base64url, fromBase64url } from "./protocol/bytes.ts";
import { fingerprint, fitForCommands, type Identity, identityOf, joinKeys, keysAt } from "./protocol/identity.ts";
import type { Bytes } from "./protocol/primitives.ts";
import { isSameHost, SAME_HOST_NONCE_BYTES } from "./protocol/same-host.ts";
import { type WebKey, webAgreementKey, webCrypto, webKey, webSigningKey } from "./protocol/web-crypto.ts";

export { type KnownRelays, relayAddresses, relaysOf } from "./peer/known-relays.ts";
export { checkCode, type PairingLink, parseLink } from "./protocol/link.ts";

/** The keys of a browser. Scripts can read only their public halves. */
export interface BrowserKeys {
  signing: WebKey;
  agreement: WebKey;
}

/** A host that this browser is paired with. Bytes are in base64url. */
export interface PairedHost extends KnownRelays {
  id: string;
  /** Both public keys of the host. */
  keys: string;
  name: string;
  grant: string;
  scopes: readonly string[];
}

export interface PairOptions {
  code: string;
  /** Addresses of the host's relays, in the order in which they are tried. */
  relays: readonly string[];
  /** Id of the host in base64url, if the pairing link contained it. */
  host?: string | undefined;
  /** Name under which the host's user sees this browser. */
  name: string;
  confirmed(): void;
}

/** Makes keys for a browser. Throws RELAY_BROWSER if the browser cannot. */
export async function makeKeys(): Promise<BrowserKeys> {
  try {
    const make = async () => ({ signing: await webKey("Ed25519"), agreement: await webKey("X25519") });
    return await fitForCommands(make, identity);
  } catch (cause) {
    throw Object.assign(errors.RELAY_BROWSER(), { cause });
  }
}

/** Pairs with the host that shows a code. Throws RELAY errors. */
export async function pairWith(keys: BrowserKeys, { host, ...options }: PairOptions): Promise<PairedHost> {
  const joined = await joinHost({
    ...options,
    ...{ host: host === undefined ? undefined : bytesOf(host), identity: await identity(keys) },
    ...{ primitives: webCrypto, make },
  });
  const { id, publicKeys } = joined.host;
  const { name, grant, scopes } = joined.admission;
  const [relay, ...others] = options.relays as [string, ...string[]];
  return {
    ...{ id: base64url(id), keys: base64url(joinKeys(publicKeys)), name, scopes: [...scopes] },
    ...{ relay, ...(others.length > 0 && { others }), grant: base64url(grant) },
  };
}

/**
 * Connects to a paired host through one of its relays. `changed` is called with the updated host when the host names other relays. Throws
 * RELAY errors.
 */
export async function dialPaired(
  keys: BrowserKeys,
  host: PairedHost,
  changed: (host: PairedHost) => void,
): Promise<Channel> {
  const told = (addresses: string[]) => {
    const taken = takenFrom(host, addresses);
    if (taken) changed({ ...host, told: taken });
  };
  return dialHost({ ...(await dialOptions(keys, host)), told });
}

/** Gets a new grant if the current one expires soon, and returns the host with it; otherwise undefined. Throws RELAY errors. */
export async function renewed(keys: BrowserKeys, host: PairedHost): Promise<PairedHost | undefined> {
  if (!endsSoon(bytesOf(host.grant), Date.now())) return undefined;
  return { ...host, grant: base64url(await renewedGrant(await dialOptions(keys, host))) };
}

async function dialOptions(keys: BrowserKeys, paired: PairedHost): Promise<DialOptions> {
  const { name, keys: known, grant } = paired;
  const host = { name, relays: relaysOf(paired), keys: keysAt(bytesOf(known), 0), grant: bytesOf(grant) };
  return { host, identity: await identity(keys), primitives: webCrypto, make };
}

/** A random nonce for a host to sign, in base64url. */
export function freshNonce(): string {
  return base64url(webCrypto.random(SAME_HOST_NONCE_BYTES));
}

/** Whether a signature of this nonce was made by a paired host. */
export async function hasSigned({ keys }: PairedHost, nonce: string, given: string): Promise<boolean> {
  const signature = fromBase64url(given);
  if (!signature) return false;
  return isSameHost(webCrypto, { signing: keysAt(bytesOf(keys), 0).signing, nonce: bytesOf(nonce), signature });
}

/** Fingerprint of a browser's keys, which people compare. */
export async function fingerprintOfKeys(keys: BrowserKeys): Promise<string> {
  return fingerprint((await identity(keys)).id);
}

/** Fingerprint of a host, which people compare, from its id. */
export function fingerprintOfId(id: string): string {
  return fingerprint(bytesOf(id));
}

function identity({ signing, agreement }: BrowserKeys): Promise<Identity> {
  return identityOf(webCrypto, webSigningKey(signing), webAgreementKey(agreement));
}

function make(address: string, protocol: string): BinarySocket {
  return new WebSocket(address, protocol) as unknown as BinarySocket;
}

/** Decodes stored base64url. It was valid when it was stored. */
function bytesOf(text: string): Bytes {
  return fromBase64url(text) as Bytes;
}
