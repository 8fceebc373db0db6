import { base64url } from "../protocol/bytes.ts";
import { type Grant, isInTime, readGrant } from "../protocol/grants.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { Refusal } from "./refusal.ts";
import type { Revocations } from "./revocations.ts";

const BAD_GRANT = "The grant is expired, revoked, or not of this client.";

export interface Checking {
  primitives: Primitives;
  revocations: Revocations;
  /** Milliseconds since 1970. */
  wallClock(): number;
}

/** Reads the grant of a client, and checks its signature, its time and revocations. Throws a Refusal. */
export async function grantOf(
  peer: { readonly id: string; readonly isClosed: boolean },
  bytes: Bytes,
  checking: Checking,
): Promise<Grant> {
  const { primitives, revocations, wallClock } = checking;
  const grant = await readGrant(primitives, bytes);
  // If the peer has left, nothing would ever end what it starts.
  if (peer.isClosed || !grant || !isInTime(grant, wallClock())) throw new Refusal("grant", BAD_GRANT);
  const [host, client] = [base64url(grant.hostId), base64url(grant.clientId)];
  const isShutOut =
    revocations.isRevoked(host, client, grant.serial) || [host, client].some((id) => revocations.isBlocked(id));
  if (client !== peer.id || isShutOut) throw new Refusal("grant", BAD_GRANT);
  return grant;
}
