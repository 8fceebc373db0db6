import { homeIdentity } from "../host/identity.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import { type JoinOptions, joinHost } from "../peer/pair.ts";
import { base64url } from "../protocol/bytes.ts";
import { fingerprint, joinKeys } from "../protocol/identity.ts";
import { keepHost, type PairedHost } from "./hosts.ts";

interface PairOptions extends Omit<JoinOptions, "identity" | "primitives" | "make" | "confirmed"> {
  /** Called when the code was right, with the fingerprint of this computer, which the host shows. */
  confirmed(fingerprint: string): void;
}

/** Pairs this computer with the host that shows a code, and stores it. Throws RELAY errors. */
export async function pairWith({ confirmed, ...options }: PairOptions): Promise<PairedHost> {
  const identity = await homeIdentity();
  const { host, admission } = await joinHost({
    ...options,
    ...{ identity, primitives: nodeCrypto, make: nodeSocket },
    confirmed: () => confirmed(fingerprint(identity.id)),
  });
  const [relay, ...others] = options.relays as [string, ...string[]];
  return keepHost({
    ...{ id: base64url(host.id), keys: base64url(joinKeys(host.publicKeys)), name: admission.name },
    ...{ relay, ...(others.length > 0 && { others }) },
    ...{ grant: base64url(admission.grant), scopes: [...admission.scopes] },
    pairedAt: Date.now(),
  });
}
