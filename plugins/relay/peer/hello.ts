import { authorityOf, type Identity, signHello } from "../protocol/identity.ts";
import { helloPayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";

/** The role and the identity with which a peer connects. */
export type Who = { role: "host" | "client"; identity: Identity } | { role: "guest" };

let lastGeneration = 0n;

/** The payload of the HELLO that answers the relay's challenge. */
export async function helloFor(who: Who, address: string, nonce: Bytes): Promise<Bytes> {
  if (who.role === "guest") return helloPayload({ role: "guest" });
  const { role, identity } = who;
  const generation = nextGeneration();
  const signature = await signHello(identity, { role, nonce, generation, authority: authorityOf(address) });
  return helloPayload({ role, generation, publicKeys: identity.publicKeys, signature });
}

/** The time in a form that always grows: otherwise the newest connection would look old after the clock is set back. */
function nextGeneration(): bigint {
  const now = BigInt(Date.now());
  lastGeneration = now > lastGeneration ? now : lastGeneration + 1n;
  return lastGeneration;
}
