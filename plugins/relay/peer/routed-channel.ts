import type { Identity, PublicKeys } from "../protocol/identity.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { SecureChannel } from "../protocol/secure-channel.ts";
import type { PeerRoute } from "./route.ts";

interface Options {
  primitives: Primitives;
  role: "host" | "client";
  identity: Identity;
  peer: PublicKeys;
  route: PeerRoute;
  tells?: Bytes | undefined;
  told?: ((payload: Bytes) => void) | undefined;
  opened?(): void;
  /** Called when the channel has ended. `reason` is given if the route has ended, and not the channel itself. */
  ended?(reason: { reason: string; thrown: Error | undefined } | undefined): void;
}

const TEXTS: Readonly<Record<string, string>> = {
  gone: "the other computer has left the relay",
  refused: "the host does not know this device; it may have been revoked",
  failed: "the other computer could not read a message",
  limit: "too much waited for a computer that did not read",
  revoked: "the host has revoked this device",
  lost: "the connection with the relay was lost",
};

/** Opens the encrypted channel over a route of a relay. */
export function routedChannel({ route, ended, ...options }: Options): SecureChannel {
  let end: { reason: string; thrown: Error | undefined } | undefined;
  const channel = new SecureChannel({
    ...options,
    ...{ route, now: () => performance.now() },
    ended: () => ended?.(end),
  });
  route.use({
    data: (bytes) => channel.receive(bytes),
    closed: (reason, thrown) => {
      end = { reason, thrown };
      channel.ended(thrown?.message ?? TEXTS[reason] ?? "the other end has closed it");
    },
  });
  return channel;
}
