import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import type { CloseReason } from "../../../plugins/relay/protocol/frames.ts";
import { createIdentity, type Identity, type PublicKeys } from "../../../plugins/relay/protocol/identity.ts";
import type { Bytes, Primitives } from "../../../plugins/relay/protocol/primitives.ts";
import { SecureChannel } from "../../../plugins/relay/protocol/secure-channel.ts";

/** Changes a message on its way through the relay: returns the messages to pass on instead. */
export type Meddling = (bytes: Bytes, index: number) => Bytes[];

/** One end of a channel, with the texts that it received and the bytes that it sent. */
export interface End {
  channel: SecureChannel;
  texts: string[];
  sent: Bytes[];
  /** How the channel closed: the reason for its user, and the reason that was sent to the other end. */
  closed: { reason: string | undefined; told: CloseReason | undefined } | undefined;
}

export interface LinkOptions {
  primitives?: Primitives | [client: Primitives, host: Primitives];
  client?: Identity;
  host?: Identity;
  /** The public keys that each end expects of the other. Default: the real ones */
  known?: { client?: PublicKeys; host?: PublicKeys };
  toHost?: Meddling;
  toClient?: Meddling;
  route?: bigint | [client: bigint, host: bigint];
  now?: () => number;
  /** A limit for both ends, or one for each. */
  maxKeyMessages?: number | [client: number, host: number];
}

export const client = await createIdentity(nodeCrypto);
export const host = await createIdentity(nodeCrypto);
const asIs: Meddling = (bytes) => [bytes];

/** A client and a host with a relay between them. */
export function link(options: LinkOptions = {}): { client: End; host: End } {
  const { now = () => 0, primitives = nodeCrypto, route = 1n } = options;
  const { maxKeyMessages: limit } = options;
  const limits = typeof limit === "number" ? [limit, limit] : limit;
  const identities = { client: options.client ?? client, host: options.host ?? host };
  const ends = {} as { client: End; host: End };
  const end = (role: "client" | "host", index: 0 | 1, meddle: Meddling): End => {
    const other = role === "client" ? "host" : "client";
    const made: Omit<End, "channel"> & { channel?: SecureChannel } = { texts: [], sent: [], closed: undefined };
    let told: CloseReason | undefined;
    made.channel = new SecureChannel({
      primitives: Array.isArray(primitives) ? (primitives[index] as Primitives) : primitives,
      role,
      identity: identities[role],
      peer: options.known?.[other] ?? identities[other].publicKeys,
      now,
      ...(limits ? { maxKeyMessages: limits[index] as number } : {}),
      route: {
        id: Array.isArray(route) ? (route[index] as bigint) : route,
        send: (bytes) => {
          made.sent.push(bytes);
          for (const passed of meddle(bytes, made.sent.length - 1)) ends[other].channel.receive(passed);
        },
        close: (reason) => {
          told = reason;
          // Delayed, since no network reports a closed route while the sender is still working.
          queueMicrotask(() => ends[other].channel.ended("the route was closed"));
        },
      },
    });
    made.channel.open({
      message: (text) => made.texts.push(text),
      closed: (reason) => {
        made.closed = { reason, told };
      },
    });
    return made as End;
  };
  ends.client = end("client", 0, options.toHost ?? asIs);
  ends.host = end("host", 1, options.toClient ?? asIs);
  return ends;
}

/**
 * Resolves when both ends have finished their work. WebCrypto uses other threads, so this waits for turns of the event
 * loop.
 */
export async function settle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
