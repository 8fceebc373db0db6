import { concat, label } from "./bytes.ts";
import type { Identity } from "./identity.ts";
import type { Bytes, Primitives } from "./primitives.ts";

/** Domain of the signature with which a host shows a client that reaches it directly that relays lead to the same host. */
const LABEL = label("scorel same host 1");

export const SAME_HOST_NONCE_BYTES = 32;

export async function signSameHost({ signing }: Identity, nonce: Bytes): Promise<Bytes> {
  return signing.sign(concat(LABEL, nonce));
}

/** Whether the host with this public key has signed the nonce. */
export async function isSameHost(
  primitives: Primitives,
  { signing, nonce, signature }: { signing: Bytes; nonce: Bytes; signature: Bytes },
): Promise<boolean> {
  return primitives.verify(signing, signature, concat(LABEL, nonce));
}
