import type { Channel } from "@scorel/host/client";
import { homeIdentity } from "../host/identity.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { dialHost, type ReachableHost } from "../peer/dial.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import { fromBase64url } from "../protocol/bytes.ts";
import { keysAt } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { hostNamed, type PairedHost } from "./hosts.ts";

/** The address of a paired host, which `dialPaired` takes. */
export function pairedAddress(wanted: string): string {
  return `relay:${hostNamed(wanted).id}`;
}

/** Connects to a paired host through its relay. Resolves when both have proved who they are. Throws RELAY errors. */
export async function dialPaired({ pathname }: URL): Promise<Channel> {
  const host = reachable(hostNamed(decodeURIComponent(pathname)));
  return dialHost({ host, identity: await homeIdentity(), primitives: nodeCrypto, make: nodeSocket });
}

/** A paired host as it is dialled. */
export function reachable({ name, relay, keys, grant }: PairedHost): ReachableHost {
  const bytes = (text: string) => fromBase64url(text) as Bytes;
  return { name, relay, keys: keysAt(bytes(keys), 0), grant: bytes(grant) };
}
