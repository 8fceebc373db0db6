import { base64url } from "../protocol/bytes.ts";
import { fail } from "../protocol/frames.ts";
import { type Revocation, readRevocation } from "../protocol/grants.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { BusNode } from "./bus/node.ts";
import type { Peer } from "./peer.ts";
import type { Presence } from "./presence.ts";
import { Refusal } from "./refusal.ts";
import type { RelayOptions } from "./relay-options.ts";
import type { Routes } from "./routes.ts";

interface Parts {
  routes: Routes;
  presence: Presence;
  peers: Iterable<Peer>;
  node(): BusNode;
}

/** Applies revocations of hosts, whichever relay they were sent to. */
export class Revoking {
  private readonly options: Pick<RelayOptions, "primitives" | "revocations" | "wallClock">;
  private readonly parts: Parts;

  constructor(options: Pick<RelayOptions, "primitives" | "revocations" | "wallClock">, parts: Parts) {
    this.options = options;
    this.parts = parts;
  }

  /** A host that is connected to this relay revokes the grants of a client. */
  async byHost(peer: Peer, bytes: Bytes): Promise<void> {
    const revocation = await readRevocation(this.options.primitives, bytes);
    if (!revocation || base64url(revocation.hostId) !== peer.id) fail("a revocation is not of this host");
    if (!this.take(revocation, bytes)) throw new Refusal("limit", "This host has revoked too many clients.");
    // Even if it is known here: another relay may have missed it.
    this.parts.node().revoke(bytes);
  }

  /** Applies a revocation that another relay has passed on. Ignores it if it is not signed by its host. */
  async elsewhere(bytes: Bytes): Promise<void> {
    const revocation = await readRevocation(this.options.primitives, bytes);
    if (revocation) this.take(revocation, bytes);
  }

  private take({ hostId, clientId, serial }: Revocation, bytes: Bytes): boolean {
    const { revocations, wallClock } = this.options;
    const [host, client] = [base64url(hostId), base64url(clientId)];
    if (!revocations.revoke({ host, client, serial, signed: bytes }, wallClock())) return false;
    const { routes, presence, peers } = this.parts;
    for (const peer of peers) {
      if (peer.id !== host && peer.id !== client) continue;
      for (const route of [...peer.routes.values()]) {
        const isRevoked = route.serial !== undefined && route.serial <= serial;
        if (isRevoked && route.host.id === host && route.visitor.id === client) routes.close(route, "revoked");
      }
    }
    presence.revoke(host, client, serial);
    return true;
  }
}
