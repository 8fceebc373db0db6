import type { Channel } from "@scorel/host/client";
import { errors } from "../errors.ts";
import { homeIdentity } from "../host/identity.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { connectRelay } from "../peer/connection.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import { routedChannel } from "../peer/routed-channel.ts";
import { fromBase64url } from "../protocol/bytes.ts";
import { type Identity, keysAt } from "../protocol/identity.ts";
import type { Bytes } from "../protocol/primitives.ts";
import { hostNamed, type PairedHost } from "./hosts.ts";

/** Milliseconds for the host to answer: a relay that swallows what it should carry must not keep a connection for ever. */
const OPEN_MS = 10_000;
/** After these, connecting again does not help. */
const FINAL = ["grant", "blocked", "unauthenticated", "refused", "revoked"];

/** The address of a paired host, which `dialPaired` takes. */
export function pairedAddress(wanted: string): string {
  return `relay:${hostNamed(wanted).id}`;
}

/** Connects to a paired host through its relay. Resolves when both have proved who they are. Throws RELAY errors. */
export async function dialPaired({ pathname }: URL): Promise<Channel> {
  return dialHost(hostNamed(decodeURIComponent(pathname)), await homeIdentity());
}

/** Connects to a host as the client that it has paired. `make` opens the connection with its relay. */
export async function dialHost(host: PairedHost, identity: Identity, make = nodeSocket): Promise<Channel> {
  const who = { role: "client", identity } as const;
  const connection = await connectRelay({ address: host.relay, who, primitives: nodeCrypto, make }).catch((thrown) => {
    throw failure(host, undefined, thrown as Error);
  });
  const route = connection.open(fromBase64url(host.grant) as Bytes);
  return new Promise((resolve, reject) => {
    const peer = keysAt(fromBase64url(host.keys) as Bytes, 0);
    const channel = routedChannel({
      ...{ role: "client", identity, peer, route },
      opened: () => {
        clearTimeout(limit);
        resolve(channel);
      },
      ended: (end) => {
        clearTimeout(limit);
        connection.close();
        reject(failure(host, end?.reason, end?.thrown));
      },
    });
    const limit = setTimeout(() => channel.ended("the host did not answer in time"), OPEN_MS);
  });
}

function failure({ name, relay }: PairedHost, reason: string | undefined, thrown: Error | undefined): Error {
  const refusal = (thrown as { data?: { reason?: string } } | undefined)?.data?.reason ?? reason ?? "";
  const isShutOut = ["grant", "refused", "revoked"].includes(refusal);
  const error = isShutOut
    ? errors.RELAY_NOT_PAIRED()
    : refusal === "offline"
      ? errors.RELAY_AWAY({ host: name, relay })
      : (thrown ?? errors.RELAY_CHANNEL({ problem: refusal || "it could not be opened" }));
  return FINAL.includes(refusal) ? Object.assign(error, { fatal: true }) : error;
}
