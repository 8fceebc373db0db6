/** Connects to a paired host. Runs in browsers, too. */

import type { Channel } from "@scorel/host/client";
import { errors } from "../errors.ts";
import { addressesIn } from "../protocol/addresses.ts";
import type { Identity, PublicKeys } from "../protocol/identity.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { type ConnectOptions, connectRelay } from "./connection.ts";
import { firstReached, type Tried, triedTexts } from "./first-reached.ts";
import { routedChannel } from "./routed-channel.ts";

/** A paired host: what is needed to reach it. */
export interface ReachableHost {
  name: string;
  /** Addresses of its relays, in the order in which they are tried; at least one. */
  relays: readonly string[];
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
  /** Milliseconds after which the next relay is tried as well. */
  aloneMs?: number;
  /** Called with the addresses of all its relays that the host has named. */
  told?(addresses: string[]): void;
}

/** Reasons from a relay or a host after which this device has to be paired again. */
const SHUT_OUT = ["grant", "refused", "revoked"];
/** Reasons after which connecting again does not help. */
const FINAL = [...SHUT_OUT, "blocked", "unauthenticated"];
const HANDSHAKE_MS = 10_000;

/** Connects to a host through one of its relays. Resolves when each end has proved its identity. Throws RELAY errors. */
export async function dialHost(options: DialOptions): Promise<Channel> {
  const { host, aloneMs } = options;
  const found = await firstReached({
    addresses: host.relays,
    attempt: (relay, signal) => dialAt(relay, signal, options),
    giveUp: (channel) => channel.close(),
    aloneMs,
  });
  if ("reached" in found) return found.reached;
  throw failureOf(host, found.tried);
}

/** Combines the failures of all relays into one error: a device that is refused at one of them would be refused at the others, too. */
function failureOf({ name }: ReachableHost, tried: Tried[]): Error {
  const isFatal = ({ thrown }: Tried) => "fatal" in thrown;
  const shutOut = tried.find(({ thrown }) => isNotPaired(thrown));
  if (shutOut || tried.length === 1) return ((shutOut ?? tried[0]) as Tried).thrown;
  const error = errors.RELAY_ALL({ host: `the host "${name}"`, tried: triedTexts(tried) });
  return tried.every(isFatal) ? Object.assign(error, { fatal: true }) : error;
}

function isNotPaired(thrown: Error): boolean {
  return (thrown as { code?: string }).code === "RELAY_NOT_PAIRED";
}

async function dialAt(relay: string, signal: AbortSignal, options: DialOptions): Promise<Channel> {
  const { host, identity, primitives, make, limitMs = HANDSHAKE_MS, told } = options;
  const who = { role: "client", identity } as const;
  const connection = await connectRelay({ address: relay, who, primitives, make, signal }).catch((thrown) => {
    throw failure(host, relay, undefined, thrown as Error);
  });
  const route = connection.open(host.grant);
  return new Promise((resolve, reject) => {
    const channel = routedChannel({
      ...{ role: "client", identity, peer: host.keys, route, primitives },
      told: (payload) => {
        const addresses = addressesIn(payload);
        if (addresses.length > 0) told?.(addresses);
      },
      opened: () => {
        clearTimeout(limit);
        resolve(channel);
      },
      ended: (end) => {
        clearTimeout(limit);
        connection.close();
        reject(failure(host, relay, end?.reason, end?.thrown));
      },
    });
    const limit = setTimeout(() => {
      reject(errors.RELAY_SILENT({ host: host.name, seconds: limitMs / 1_000 }));
      channel.close();
    }, limitMs);
  });
}

function failure({ name }: ReachableHost, relay: string, reason: string | undefined, thrown: Error | undefined): Error {
  const refusal = (thrown as { data?: { reason?: string } } | undefined)?.data?.reason ?? reason ?? "";
  const error = SHUT_OUT.includes(refusal)
    ? errors.RELAY_NOT_PAIRED()
    : refusal === "offline"
      ? errors.RELAY_AWAY({ host: name, relay })
      : (thrown ?? errors.RELAY_CHANNEL({ problem: refusal || "it could not be opened" }));
  return FINAL.includes(refusal) ? Object.assign(error, { fatal: true }) : error;
}
