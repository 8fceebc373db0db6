import type { Channel } from "@scorel/host/client";
import { homeIdentity } from "../host/identity.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { dialHost } from "../peer/dial.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import { fromBase64url } from "../protocol/bytes.ts";
import { keysAt } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { hostNamed } from "./hosts.ts";

/** Connects to a paired host through its relay. Resolves when both have proved who they are. Throws RELAY errors. */
export async function dialPaired({ pathname }: URL): Promise<Channel> {
  const { name, relay, keys, grant } = hostNamed(decodeURIComponent(pathname));
  const bytes = (text: string) => fromBase64url(text) as Bytes;
  const host = { name, relay, keys: keysAt(bytes(keys), 0), grant: bytes(grant) };
  return dialHost({ host, identity: await homeIdentity(), primitives: nodeCrypto, make: nodeSocket });
}
