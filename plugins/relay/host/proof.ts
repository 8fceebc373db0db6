import { base64url, fromBase64url } from "../protocol/bytes.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { signSameHost } from "../protocol/same-host.ts";
import { knownIdentity } from "./identity.ts";

/** The id of this host, and its signature of a nonce of 43 base64url characters. Empty if the host has never used a relay. */
export async function proofOf(nonce: string): Promise<{ host?: string; signature?: string }> {
  const identity = await knownIdentity();
  if (!identity) return {};
  const signature = await signSameHost(identity, fromBase64url(nonce) as Bytes);
  return { host: base64url(identity.id), signature: base64url(signature) };
}
