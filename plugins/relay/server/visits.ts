import { base64url } from "../protocol/bytes.ts";
import { idOf, type PublicKeys } from "../protocol/identity.ts";
import { incomingPayload, offeredPayload, placePayload } from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { FarEnd } from "./bus/far-end.ts";
import type { BusNode } from "./bus/node.ts";
import { type Checking, grantOf } from "./granted.ts";
import type { Peer } from "./peer.ts";
import type { Places } from "./places.ts";
import { Refusal } from "./refusal.ts";
import type { Route, RouteEnd, Routes } from "./routes.ts";

/** Most places that are tried if other relays have already assigned them. */
const MAX_TRIES = 5;

interface VisitOptions extends Checking {
  routes: Routes;
  places: Places;
  hosts: ReadonlyMap<string, Peer>;
  node(): BusNode;
  /** Milliseconds of a monotonic clock. */
  now(): number;
  placeMs: number;
}

/**
 * Opens routes to hosts: for clients with a grant, and for guests who know a place. Hosts and visitors may be at different relays of the
 * bus.
 */
export class Visits {
  private readonly options: VisitOptions;

  constructor(options: VisitOptions) {
    this.options = options;
  }

  /** Opens a route for a client of this relay. */
  async open(client: Peer, id: bigint, bytes: Bytes): Promise<void> {
    const { hosts, node } = this.options;
    const { hostId, serial } = await grantOf(client, bytes, this.options);
    const hostName = base64url(hostId);
    const host = hosts.get(hostName);
    if (host) return this.lead(client, client.keys as PublicKeys, host, id, serial);
    const end = node().farHost(hostName);
    await this.leadFar({ visitor: client, host: end, id, serial }, end, () =>
      node().open(end, hostId, id, client.keys as PublicKeys, bytes),
    );
  }

  /** Opens a route for a client of another relay. This relay checks the grant again. */
  async openFor(client: FarEnd, id: bigint, bytes: Bytes, keys: PublicKeys): Promise<void> {
    client.id = base64url(await idOf(this.options.primitives, keys));
    const { hostId, serial } = await grantOf({ id: client.id, isClosed: false }, bytes, this.options);
    const host = this.options.hosts.get(base64url(hostId));
    if (!host) throw new Refusal("offline", "The host is not connected.");
    this.lead(client, keys, host, id, serial);
  }

  /** Opens a route for a guest of this relay. */
  async join(guest: Peer, id: bigint, place: string): Promise<void> {
    const { places, now, node } = this.options;
    if (!places.mayTry(guest.address, now())) throw new Refusal("limit", "Too many codes were tried. Wait a minute.");
    const host = places.join(place, now());
    if (host) return this.leadGuest(guest, host, id, place);
    const end = node().farHost("");
    await this.leadFar({ visitor: guest, host: end, id, serial: undefined }, end, () => node().join(end, place, id));
  }

  /** Opens a route for a guest of another relay, which has counted the attempt. */
  joinFor(guest: FarEnd, id: bigint, place: string): void {
    const host = this.options.places.join(place, this.options.now());
    if (!host) throw new Refusal("place", "No host waits at this code.");
    this.leadGuest(guest, host, id, place);
  }

  /** Assigns a place to a host that no other relay has assigned. */
  async offer(host: Peer): Promise<void> {
    const { places, node, now, placeMs } = this.options;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const place = places.offer(host, now());
      if (place === undefined) throw new Refusal("limit", "Too many codes are open, or too many at this address.");
      if (await node().isTaken(place)) continue;
      await node().enterPlace(place);
      // The host may have left meanwhile, or asked for another place.
      if (host.place !== place) return node().leavePlace(place);
      return host.send("offered", 0n, offeredPayload(place, placeMs / 1_000));
    }
    places.withdraw(host);
    throw new Refusal("limit", "Too many codes are open.");
  }

  private lead(client: RouteEnd, keys: PublicKeys, host: Peer, id: bigint, serial: bigint): void {
    this.options.routes.open({ visitor: client, host, id, serial });
    host.send("incoming", id, incomingPayload(keys));
  }

  private leadGuest(guest: RouteEnd, host: Peer, id: bigint, place: string): void {
    this.options.routes.open({ visitor: guest, host, id, serial: undefined });
    host.send("joined", id, placePayload(place));
  }

  /** Opens a route once another relay has accepted it. */
  private async leadFar(route: Route, end: FarEnd, taken: () => Promise<void>): Promise<void> {
    const { routes, node } = this.options;
    try {
      routes.open(route);
      await taken();
    } catch (thrown) {
      routes.forget(route);
      node().giveUp(end);
      throw thrown;
    }
  }
}
