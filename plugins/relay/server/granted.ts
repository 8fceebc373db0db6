import { base64url } from "../protocol/bytes.ts";
import { type Grant, isInTime, readGrant } from "../protocol/grants.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { type Peer, Refusal } from "./peer.ts";
import type { Revocations } from "./revocations.ts";

const BAD_GRANT = "The grant is expired, revoked, or not of this client.";

interface Checking {
  primitives: Primitives;
  revocations: Revocations;
  /** Milliseconds since 1970. */
  wallClock(): number;
}

/** The grant with which a client comes now. Throws a refusal. */
export async function grantOf(peer: Peer, bytes: Bytes, checking: Checking): Promise<Grant> {
  const { primitives, revocations, wallClock } = checking;
  const grant = await readGrant(primitives, bytes);
  // Nobody would end what a peer begins that has left.
  if (peer.isClosed || !grant || !isInTime(grant, wallClock())) throw new Refusal("grant", BAD_GRANT);
  const [host, client] = [base64url(grant.hostId), base64url(grant.clientId)];
  if (client !== peer.id || revocations.isRevoked(host, client, grant.serial) || revocations.isBlocked(host))
    throw new Refusal("grant", BAD_GRANT);
  return grant;
}
