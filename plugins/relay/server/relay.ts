import { base64url } from "../protocol/bytes.ts";
import { type ErrorName, type Frame, type FrameType, fail } from "../protocol/frames.ts";
import { readRevocation } from "../protocol/grants.ts";
import { idOf, type PublicKeys, verifyHello } from "../protocol/identity.ts";
import * as payloads from "../protocol/payloads.ts";
import type { Bytes, Primitives } from "../protocol/primitives.ts";
import { grantOf } from "./granted.ts";
import type { RelayLimits } from "./limits.ts";
import { type FrameHandler, Peer, Refusal, type Socket } from "./peer.ts";
import { Places } from "./places.ts";
import { Presence } from "./presence.ts";
import type { Revocations } from "./revocations.ts";
import { Routes } from "./routes.ts";
import { Tally } from "./tally.ts";

const NONCE_BYTES = 32;
const NOT_GENUINE =
  "The signature is not one for this relay. Its owner adds the names by which it is reached with --name.";
const NEWER = "This host has a newer connection.";
const BLOCKED = "The owner of this relay has blocked this identity.";

export interface RelayOptions {
  primitives: Primitives;
  limits: RelayLimits;
  revocations: Revocations;
  /** The names by which peers may know this relay, such as `relay.example`. */
  authorities(): Iterable<string>;
  /** Milliseconds: of a clock that nobody sets, and since 1970. */
  now(): number;
  wallClock(): number;
}

/** Counts for the owner of a relay. */
export interface RelayCounts {
  hosts: number;
  clients: number;
  guests: number;
  /** Connections that have not said hello. */
  strangers: number;
  routes: number;
  places: number;
  /** DATA frames that were passed on since the relay began. */
  frames: number;
}

type Handle = (peer: Peer, frame: Frame) => void | Promise<void>;

/** Leads clients to hosts, and carries what they say to each other, which it cannot read. Knows nothing of how bytes reach it. */
export class Relay implements FrameHandler {
  readonly #options: RelayOptions;
  readonly #places: Places;
  readonly #peers = new Set<Peer>();
  readonly #hosts = new Map<string, Peer>();
  readonly #presence = new Presence();
  readonly #routes: Routes;
  readonly #ofAddress = new Tally();
  readonly #ofIdentity = new Tally();
  #strangers = 0;
  #lastSweep: number;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#places = new Places(options.limits, options.primitives, options.now());
    this.#routes = new Routes(options.limits);
    this.#lastSweep = options.now();
  }

  /** Takes a new connection, and asks it who it is. */
  accept(socket: Socket, address: string): Peer {
    const { primitives, limits, now } = this.#options;
    const nonce = primitives.random(NONCE_BYTES);
    const peer = new Peer(socket, this, { address, nonce, now: now(), limits });
    this.#peers.add(peer);
    this.#strangers++;
    const ofAddress = this.#ofAddress.add(address);
    peer.send("challenge", 0n, nonce);
    if (this.#strangers > limits.strangers) peer.end("limit", "Too many connections have not said who they are.");
    else if (ofAddress > limits.socketsOfAddress)
      peer.end("limit", `An address may have ${limits.socketsOfAddress} connections.`);
    return peer;
  }

  frame(peer: Peer, frame: Frame): void | Promise<void> {
    if (frame.type === "hello" ? peer.role !== undefined : peer.role === undefined)
      fail(`a frame of type ${frame.type} was not expected`);
    return this.#handlers[frame.type]?.(peer, frame);
  }

  closed(peer: Peer): void {
    this.#peers.delete(peer);
    this.#ofAddress.remove(peer.address);
    if (peer.role === undefined) this.#strangers--;
    else if (peer.id !== "") this.#ofIdentity.remove(peer.id);
    this.#places.withdraw(peer);
    for (const route of [...peer.routes.values()]) this.#routes.close(route, "gone", peer);
    this.#presence.forget(peer);
    if (this.#hosts.get(peer.id) !== peer) return;
    this.#hosts.delete(peer.id);
    this.#tellWatchers(peer, false);
  }

  /** Pings those that are silent, and ends what has lasted too long. To be called about once a second. */
  sweep(): void {
    const now = this.#options.now();
    const { helloMs, pingMs, silentMs, guestMs } = this.#options.limits;
    this.#places.sweep(now);
    for (const peer of this.#peers) {
      const silent = now - peer.heardAt;
      if (peer.role === undefined) {
        if (now - peer.since >= helloMs) peer.end("unauthenticated", "No hello came in time.");
      } else if (silent >= silentMs) peer.end("limit", "It does not answer pings.");
      else if (peer.role === "guest" && now - peer.since >= guestMs) peer.end("limit", "Pairing took too long.");
      // Once in each period of silence, whatever the time between two sweeps.
      else if (silent >= pingMs && (silent % pingMs) - (now - this.#lastSweep) < 0) peer.send("ping", 0n);
    }
    this.#lastSweep = now;
  }

  /** Ends all connections with an identity that the owner has blocked. */
  block(id: string): void {
    this.#options.revocations.block(id, this.#options.wallClock());
    for (const peer of [...this.#peers]) if (peer.id === id) peer.end("blocked", BLOCKED);
  }

  stop(): void {
    for (const peer of [...this.#peers]) peer.end("stopping", "The relay stops.");
  }

  get counts(): RelayCounts {
    const of = (role: string) => [...this.#peers].filter((peer) => peer.role === role).length;
    const routes = [...this.#hosts.values()].reduce((sum, host) => sum + host.routes.size, 0);
    return {
      ...{ hosts: of("host"), clients: of("client"), guests: of("guest") },
      ...{ strangers: this.#strangers, routes, places: this.#places.size, frames: this.#routes.frames },
    };
  }

  readonly #handlers: Partial<Record<FrameType, Handle>> = {
    hello: (peer, { payload }) => this.#hello(peer, payloads.readHello(payload)),
    ping: (peer, { payload }) => peer.send("pong", 0n, payload),
    pong: () => {},
    data: (peer, frame) => this.#routes.pass(peer, frame),
    close: (peer, { route: id, payload }) => {
      const reason = payloads.readClose(payload);
      const route = peer.routes.get(id);
      if (route) this.#routes.close(route, reason, peer);
    },
    open: (peer, { route, payload }) => this.#open(peer, route, payload),
    watch: (peer, { payload }) => this.#watch(peer, payload),
    revoke: (peer, { payload }) => this.#revoke(peer, payload),
    offer: (peer) => this.#offer(peer),
    withdraw: (peer, { payload }) => {
      if (payloads.readPlace(payload) === peer.place) this.#places.withdraw(peer);
    },
    join: (peer, { route, payload }) => this.#join(peer, route, payloads.readPlace(payload)),
  };

  async #hello(peer: Peer, hello: payloads.Hello): Promise<void> {
    if (hello.role !== "guest") {
      if (!(await this.#isGenuine(peer, hello))) throw new Refusal("unauthenticated", NOT_GENUINE, { ends: true });
      const id = await idOf(this.#options.primitives, hello.publicKeys);
      if (peer.isClosed) return;
      const { role, generation, publicKeys: keys } = hello;
      peer.introduced(role, { id, keys, generation });
      this.#ofIdentity.add(peer.id);
    } else peer.introduced("guest");
    this.#strangers--;
    this.#assertWelcome(peer);
    if (hello.role === "host") this.#enterHost(peer);
    const { pingMs, routes } = this.#options.limits;
    const welcome = { ping: pingMs / 1_000, maxRoutes: routes[peer.role as keyof typeof routes] };
    peer.send("welcome", 0n, payloads.welcomePayload(welcome));
    if (hello.role === "host") this.#tellWatchers(peer, true);
  }

  async #isGenuine(peer: Peer, hello: Exclude<payloads.Hello, { role: "guest" }>): Promise<boolean> {
    const { primitives, authorities } = this.#options;
    for (const authority of authorities())
      if (await verifyHello(primitives, { ...hello, nonce: peer.nonce, authority }, hello.signature)) return true;
    return false;
  }

  #assertWelcome(peer: Peer): void {
    if (peer.role === "guest") return;
    const refused = (reason: ErrorName, text: string) => new Refusal(reason, text, { ends: true });
    if (this.#options.revocations.isBlocked(peer.id)) throw refused("blocked", BLOCKED);
    const { socketsOfIdentity: most } = this.#options.limits;
    if (this.#ofIdentity.of(peer.id) > most) throw refused("limit", `An identity may have ${most} connections.`);
    const former = peer.role === "host" ? this.#hosts.get(peer.id) : undefined;
    if (former && former.generation >= peer.generation) throw refused("superseded", NEWER);
  }

  /** The newest connection of a host is the one that counts. */
  #enterHost(peer: Peer): void {
    const former = this.#hosts.get(peer.id);
    this.#hosts.set(peer.id, peer);
    former?.end("superseded", NEWER);
  }

  async #open(peer: Peer, id: bigint, bytes: Bytes): Promise<void> {
    const { hostId, serial } = await grantOf(peer, bytes, this.#options);
    const host = this.#hosts.get(base64url(hostId));
    if (!host) throw new Refusal("offline", "The host is not connected.");
    this.#routes.open({ visitor: peer, host, id, serial });
    host.send("incoming", id, payloads.incomingPayload(peer.keys as PublicKeys));
  }

  #join(peer: Peer, id: bigint, place: string): void {
    const host = this.#places.join(place, peer.address, this.#options.now());
    if (host === "too many") throw new Refusal("limit", "Too many codes were tried. Wait a minute.");
    if (host === "unknown") throw new Refusal("place", "No host waits at this code.");
    this.#routes.open({ visitor: peer, host, id, serial: undefined });
    host.send("joined", id, payloads.placePayload(place));
  }

  async #watch(peer: Peer, bytes: Bytes): Promise<void> {
    const { hostId, serial } = await grantOf(peer, bytes, this.#options);
    const host = base64url(hostId);
    if (!peer.watched.has(host) && peer.watched.size >= this.#options.limits.watches)
      throw new Refusal("limit", "This connection watches too many hosts.");
    this.#presence.watch(peer, host, serial);
    peer.send("presence", 0n, payloads.presencePayload(hostId, this.#hosts.has(host)));
  }

  #tellWatchers(host: Peer, isThere: boolean): void {
    const payload = payloads.presencePayload(host.idBytes, isThere);
    for (const watcher of this.#presence.of(host.id)) watcher.send("presence", 0n, payload);
  }

  async #revoke(peer: Peer, bytes: Bytes): Promise<void> {
    const { primitives, revocations, wallClock } = this.#options;
    const revocation = await readRevocation(primitives, bytes);
    if (!revocation || base64url(revocation.hostId) !== peer.id) fail("a revocation is not of this host");
    const { serial } = revocation;
    const client = base64url(revocation.clientId);
    if (!revocations.revoke(peer.id, client, serial, wallClock()))
      throw new Refusal("limit", "This host has revoked too many clients.");
    const routes = [...peer.routes.values()].filter(({ visitor }) => visitor.id === client);
    for (const route of routes)
      if (route.serial !== undefined && route.serial <= serial) this.#routes.close(route, "revoked");
    this.#presence.revoke(peer.id, client, serial);
  }

  #offer(peer: Peer): void {
    const place = this.#places.offer(peer, this.#options.now());
    if (place === undefined) throw new Refusal("limit", "Too many codes are open at this address.");
    peer.send("offered", 0n, payloads.offeredPayload(place, this.#options.limits.placeMs / 1_000));
  }
}
