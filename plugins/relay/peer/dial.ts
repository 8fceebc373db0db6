/** Connects to a host that this device is paired with. Runs in browsers, too. */

import type { Channel } from "@scorel/host/client";
import { errors } from "../errors.ts";
import type { Identity, PublicKeys } from "../protocol/identity.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { type ConnectOptions, connectRelay } from "./connection.ts";
import { routedChannel } from "./routed-channel.ts";

/** A host, as pairing has made it known. */
export interface ReachableHost {
  name: string;
  /** The address of the relay. */
  relay: string;
  keys: PublicKeys;
  grant: Bytes;
}

export interface DialOptions {
  host: ReachableHost;
  identity: Identity;
  primitives: Primitives;
  make: ConnectOptions["make"];
  /** Milliseconds that the host may take for the handshake. */
  limitMs?: number;
}

/** Reasons of a relay or a host for which this device has to be paired anew. */
const SHUT_OUT = ["grant", "refused", "revoked"];
/** After these, connecting again does not help. */
const FINAL = [...SHUT_OUT, "blocked", "unauthenticated"];
const HANDSHAKE_MS = 10_000;

/** Connects to a host through its relay. Resolves when both have proved who they are. Throws RELAY errors. */
export async function dialHost({
  host,
  identity,
  primitives,
  make,
  limitMs = HANDSHAKE_MS,
}: DialOptions): Promise<Channel> {
  const who = { role: "client", identity } as const;
  const connection = await connectRelay({ address: host.relay, who, primitives, make }).catch((thrown) => {
    throw failure(host, undefined, thrown as Error);
  });
  const route = connection.open(host.grant);
  return new Promise((resolve, reject) => {
    const channel = routedChannel({
      ...{ role: "client", identity, peer: host.keys, route, primitives },
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
    const limit = setTimeout(() => {
      reject(errors.RELAY_SILENT({ host: host.name, seconds: limitMs / 1_000 }));
      channel.close();
    }, limitMs);
  });
}

function failure({ name, relay }: ReachableHost, reason: string | undefined, thrown: Error | undefined): Error {
  const refusal = (thrown as { data?: { reason?: string } } | undefined)?.data?.reason ?? reason ?? "";
  const error = SHUT_OUT.includes(refusal)
    ? errors.RELAY_NOT_PAIRED()
    : refusal === "offline"
      ? errors.RELAY_AWAY({ host: name, relay })
      : (thrown ?? errors.RELAY_CHANNEL({ problem: refusal || "it could not be opened" }));
  return FINAL.includes(refusal) ? Object.assign(error, { fatal: true }) : error;
}
