import { messageOf } from "@scorel/kit/values/coded-error";
import { base64url } from "../protocol/bytes.ts";
import { fail } from "../protocol/frames.ts";
import { type Revocation, readRevocation } from "../protocol/grants.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { BusNode } from "./bus/node.ts";
import { Allowances } from "./limits.ts";
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

type Options = Pick<RelayOptions, "primitives" | "revocations" | "limits" | "warn" | "now" | "wallClock">;

/** Applies revocations of hosts, whichever relay they were sent to. */
export class Revoking {
  private readonly options: Options;
  private readonly parts: Parts;
  private readonly ofAddress: Allowances;

  constructor(options: Options, parts: Parts) {
    this.options = options;
    this.parts = parts;
    this.ofAddress = new Allowances(options.limits.revocationsOfAddress);
  }

  /** A host that is connected to this relay revokes the grants of a client. */
  async byHost(peer: Peer, bytes: Bytes): Promise<void> {
    const revocation = await readRevocation(this.options.primitives, bytes);
    if (!revocation || base64url(revocation.hostId) !== peer.id) fail("a revocation is not of this host");
    this.assertMayStore(peer, revocation);
    if (!this.stored(revocation, bytes)) throw new Refusal("limit", "Too many clients are revoked.");
    // Even if it is known here: another relay may have missed it.
    this.parts.node().revoke(bytes);
  }

  /** Applies a revocation that another relay has passed on. Ignores it if it is not signed by its host. */
  async elsewhere(bytes: Bytes): Promise<void> {
    const revocation = await readRevocation(this.options.primitives, bytes);
    if (revocation) this.take(revocation, bytes);
  }

  sweep(now: number): void {
    this.ofAddress.sweep(now);
  }

  /** Each new revocation is synced to the disk, and anyone can connect as any number of hosts. */
  private assertMayStore(peer: Peer, { clientId, serial }: Revocation): void {
    const { revocations, now } = this.options;
    const isKnown = revocations.isRevoked(peer.id, base64url(clientId), serial);
    if (!isKnown && !this.ofAddress.tryTake(peer.address, now()))
      throw new Refusal("limit", "Too many revocations came from this address. Send the others later.");
  }

  /** Applies a revocation like `take`. A full disk is not the host's fault, and it gets nothing of the system's error. */
  private stored(revocation: Revocation, bytes: Bytes): boolean {
    try {
      return this.take(revocation, bytes);
    } catch (thrown) {
      this.options.warn(`A revocation was not stored: ${messageOf(thrown)}`);
      throw new Refusal("unavailable", "The relay cannot store the revocation now.");
    }
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
