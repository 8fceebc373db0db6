import { authorityOf, type Identity, signHello } from "../protocol/identity.ts";
import { helloPayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";

/** As whom a peer connects. */
export type Who = { role: "host" | "client"; identity: Identity } | { role: "guest" };

let lastGeneration = 0n;

/** The payload of the HELLO that answers a relay's challenge. */
export async function helloFor(who: Who, address: string, nonce: Bytes): Promise<Bytes> {
  if (who.role === "guest") return helloPayload({ role: "guest" });
  const { role, identity } = who;
  const generation = nextGeneration();
  const signature = await signHello(identity, { role, nonce, generation, authority: authorityOf(address) });
  return helloPayload({ role, generation, publicKeys: identity.publicKeys, signature });
}

/** The time, but always later than before: a clock that was set back must not make the newest connection look old. */
function nextGeneration(): bigint {
  const now = BigInt(Date.now());
  lastGeneration = now > lastGeneration ? now : lastGeneration + 1n;
  return lastGeneration;
}
