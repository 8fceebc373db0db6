import type { Channel } from "@scorel/host/client";
import { homeIdentity } from "../host/identity.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { type DialOptions, dialHost, type ReachableHost } from "../peer/dial.ts";
import { relaysOf, takenFrom } from "../peer/known-relays.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import { endsSoon, renewedGrant } from "../peer/renew.ts";
import { fromBase64url } from "../protocol/bytes.ts";
import { keysAt } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { hostNamed, keepGrant, keepTold, type PairedHost } from "./hosts.ts";

/** Ids of hosts that are being asked for a new grant. */
const renewing = new Set<string>();

/** The address of a paired host, for `dialPaired`. Throws RELAY_HOST_UNKNOWN. */
export function pairedAddress(wanted: string): string {
  return `relay:${hostNamed(wanted).id}`;
}

/** Connects to a paired host through one of its relays. Resolves when each end has proved its identity. Throws RELAY errors. */
export async function dialPaired({ pathname }: URL): Promise<Channel> {
  const paired = hostNamed(decodeURIComponent(pathname));
  const host = reachable(paired);
  const told = (addresses: readonly string[]) => {
    const taken = takenFrom(paired, addresses);
    // Failing to store the relays is harmless: the host names them again at the next connection.
    if (taken) void keepTold(paired.id, taken).catch(() => {});
  };
  const options = { host, identity: await homeIdentity(), primitives: nodeCrypto, make: nodeSocket, told };
  const channel = await dialHost(options);
  if (endsSoon(host.grant, Date.now())) void renew(paired.id, options);
  return channel;
}

/** Why a host that has just been paired cannot be reached, such as a relay that is known by another name; undefined if it can. */
export async function problemAt({ id }: Pick<PairedHost, "id">): Promise<Error | undefined> {
  try {
    (await dialPaired(new URL(`relay:${id}`))).close();
    return undefined;
  } catch (thrown) {
    return thrown as Error;
  }
}

/** Renews the grant. A failure is ignored: the old grant is valid for weeks, and the next connection tries again. */
async function renew(id: string, options: DialOptions): Promise<void> {
  if (renewing.has(id)) return;
  renewing.add(id);
  await renewedGrant(options)
    .then((grant) => keepGrant(id, grant))
    .catch(() => {});
  renewing.delete(id);
}

/** Converts a stored host into the form that `dialHost` takes. */
export function reachable({ name, keys, grant, ...relays }: PairedHost): ReachableHost {
  const bytes = (text: string) => fromBase64url(text) as Bytes;
  return { name, relays: relaysOf(relays), keys: keysAt(bytes(keys), 0), grant: bytes(grant) };
}
