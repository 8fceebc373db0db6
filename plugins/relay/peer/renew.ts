/** Gets a new grant from a host before the old one expires. Runs in browsers, too. */

import { type Channel, connectHost } from "@scorel/host/client";
import type {} from "../contract.ts";
import { errors } from "../errors.ts";
import { areEqual, base64url, fromBase64url } from "../protocol/bytes.ts";
import { GRANT_BYTES, isInTime, notAfterOf, readGrant } from "../protocol/grants.ts";
import { type Identity, joinKeys } from "../protocol/identity.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { type DialOptions, dialHost } from "./dial.ts";

/** A grant that expires within this time is renewed. A device that connects at least once within it never has to pair again. */
const SOON_MS = 90 * 24 * 60 * 60 * 1_000;

/** Whether a grant should be renewed. `now` is in milliseconds since 1970. */
export function endsSoon(grant: Bytes, now: number): boolean {
  return Number(notAfterOf(grant)) * 1_000 - now < SOON_MS;
}

/** Connects to the host to get a new grant. Throws RELAY errors, also if the new grant is not valid for this device. */
export async function renewedGrant(options: DialOptions): Promise<Bytes> {
  const { identity, host, primitives } = options;
  const dial = (): Promise<Channel> => dialHost(options);
  const client = await connectHost({ dial, reconnect: false, version: "" });
  try {
    const { grant } = await client.request("renew_grant", { device: base64url(identity.id) });
    const bytes = fromBase64url(grant);
    if (bytes?.length === GRANT_BYTES && (await isFor(identity, host.keys, bytes, primitives))) return bytes;
    throw errors.RELAY_GRANT({ host: host.name });
  } finally {
    await client.close();
  }
}

async function isFor(
  identity: Identity,
  host: DialOptions["host"]["keys"],
  bytes: Bytes,
  primitives: Primitives,
): Promise<boolean> {
  const grant = await readGrant(primitives, bytes);
  if (!grant || !isInTime(grant, Date.now())) return false;
  return areEqual(grant.clientId, identity.id) && areEqual(joinKeys(grant.host), joinKeys(host));
}
