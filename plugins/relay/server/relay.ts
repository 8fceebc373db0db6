import { messageOf } from "@scorel/kit/values/coded-error";
import { base64url } from "../protocol/bytes.ts";
import { type ErrorName, type Frame, type FrameType, fail } from "../protocol/frames.ts";
import { idOf } from "../protocol/identity.ts";
import * as payloads from "../protocol/payloads.ts";
import type { Bytes } from "../protocol/primitives.ts";
import type { SignedHello } from "./bus/messages.ts";
import { BusNode } from "./bus/node.ts";
import type { NodeUser } from "./bus/node-user.ts";
import { grantOf } from "./granted.ts";
import { isGenuine, signedFor } from "./hello.ts";
import { type FrameHandler, Peer, type Socket } from "./peer.ts";
import { Places } from "./places.ts";
import { Presence } from "./presence.ts";
import { Refusal } from "./refusal.ts";
import type { RelayCounts, RelayOptions } from "./relay-options.ts";
import { Revoking } from "./revoking.ts";
import { Routes } from "./routes.ts";
import { Tally } from "./tally.ts";
import { Visits } from "./visits.ts";

const NONCE_BYTES = 32;
const NOT_GENUINE =
  "The signature is not one for this relay. Its owner adds the names by which it is reached with --name.";
const NEWER = "This host has a newer connection.";
const BLOCKED = "The owner of this relay has blocked this identity.";

type Handle = (peer: Peer, frame: Frame) => void | Promise<void>;

/** Connects clients to hosts, and passes on their messages, which it cannot read. Independent of how the bytes reach it. */
export class Relay implements FrameHandler {
  private readonly options: RelayOptions;
  private readonly places: Places;
  private readonly peers = new Set<Peer>();
  private readonly hosts = new Map<string, Peer>();
  private readonly presence: Presence;
  private readonly routes: Routes;
  private readonly visits: Visits;
  private readonly revoking: Revoking;
  private readonly node: BusNode;
  private readonly ofAddress = new Tally();
  private readonly ofIdentity = new Tally();
  private strangers = 0;
  private lastSweep: number;

  constructor(options: RelayOptions) {
    this.options = options;
    const { primitives, limits, now } = options;
    const node = () => this.node;
    this.places = new Places({ limits, primitives, now: now() }, (place) => node().leavePlace(place));
    this.routes = new Routes(limits);
    this.presence = new Presence((host) => this.hosts.has(host), node);
    const [routes, places, hosts] = [this.routes, this.places, this.hosts];
    this.visits = new Visits({ ...options, routes, places, hosts, node, placeMs: limits.placeMs });
    const parts = { routes, presence: this.presence, peers: this.peers, node };
    this.revoking = new Revoking(options, parts);
    this.node = new BusNode(options.bus, primitives, routes, this.asNode());
    this.lastSweep = now();
  }

  /** Accepts a connection, and sends it a challenge. */
  accept(socket: Socket, address: string): Peer {
    const { primitives, limits, now } = this.options;
    const nonce = primitives.random(NONCE_BYTES);
    const peer = new Peer(socket, this, { address, nonce, now: now(), limits });
    this.peers.add(peer);
    this.strangers++;
    const ofAddress = this.ofAddress.add(address);
    peer.send("challenge", 0n, nonce);
    if (this.strangers > limits.strangers) peer.end("limit", "Too many connections have not said who they are.");
    else if (ofAddress > limits.socketsOfAddress)
      peer.end("limit", `An address may have ${limits.socketsOfAddress} connections.`);
    return peer;
  }

  frame(peer: Peer, frame: Frame): void | Promise<void> {
    if (frame.type === "hello" ? peer.role !== undefined : peer.role === undefined)
      fail(`a frame of type ${frame.type} was not expected`);
    return this.handlers[frame.type]?.(peer, frame);
  }

  closed(peer: Peer): void {
    this.peers.delete(peer);
    this.ofAddress.remove(peer.address);
    if (peer.role === undefined) this.strangers--;
    else if (peer.id !== "") this.ofIdentity.remove(peer.id);
    this.places.withdraw(peer);
    for (const route of [...peer.routes.values()]) this.routes.close(route, "gone", peer);
    this.presence.forget(peer);
    if (this.hosts.get(peer.id) !== peer) return;
    this.hosts.delete(peer.id);
    this.node.leave(peer);
    this.presence.update(peer.id);
  }

  /** Pings silent peers, and ends what has taken too long. To be called about once a second. */
  sweep(): void {
    const now = this.options.now();
    const { helloMs, pingMs, silentMs, guestMs } = this.options.limits;
    this.places.sweep(now);
    this.revoking.sweep(now);
    for (const peer of this.peers) {
      const silent = now - peer.heardAt;
      if (peer.role === undefined) {
        // Not as unauthenticated, after which hosts and clients do not come back: the network may have been slow.
        if (now - peer.since >= helloMs) peer.end("limit", "No hello came in time.");
      } else if (silent >= silentMs) peer.end("limit", "It does not answer pings.");
      else if (peer.role === "guest" && now - peer.since >= guestMs) peer.end("limit", "Pairing took too long.");
      // One ping for each period of silence, however far apart the calls are.
      else if (silent >= pingMs && (silent % pingMs) - (now - this.lastSweep) < 0) peer.send("ping", 0n);
    }
    this.lastSweep = now;
  }

  /** Blocks an identity for the owner, and ends all its connections. */
  block(id: string): void {
    this.options.revocations.block(id, this.options.wallClock());
    for (const peer of [...this.peers]) if (peer.id === id) peer.end("blocked", BLOCKED);
    // Its routes from and to other relays: its connection is there.
    for (const peer of this.peers)
      for (const route of [...peer.routes.values()])
        if (route.host.id === id || route.visitor.id === id) this.routes.close(route, "revoked");
    this.presence.block(id);
  }

  async stop(): Promise<void> {
    for (const peer of [...this.peers]) peer.end("stopping", "The relay stops.");
    await this.node.stop();
  }

  /** Detects other relays that are gone. To be called several times a second. */
  checkNeighbours(): void {
    this.node.check();
  }

  get counts(): RelayCounts {
    const of = (role: string) => [...this.peers].filter((peer) => peer.role === role).length;
    return {
      ...{ hosts: of("host"), clients: of("client"), guests: of("guest") },
      ...{
        strangers: this.strangers,
        routes: this.routes.size,
        places: this.places.size,
        frames: this.routes.frames,
      },
    };
  }

  private asNode(): NodeUser {
    const { revocations, warn } = this.options;
    return {
      hosts: () => this.hosts.values(),
      openFor: (...visit) => this.visits.openFor(...visit),
      joinFor: (...visit) => this.visits.joinFor(...visit),
      keeps: (host, claim) => this.keeps(host as Peer, claim),
      revoked: (bytes) =>
        void this.revoking
          .elsewhere(bytes)
          .catch((thrown) => warn(`A revocation from another relay was not stored: ${messageOf(thrown)}`)),
      revocations: () => revocations.signed(),
      busChanged: (isThere) => this.presence.busChanged(isThere),
      hostChanged: (node, isThere, host) => this.presence.changedElsewhere(node, isThere, host && base64url(host)),
    };
  }

  private readonly handlers: Partial<Record<FrameType, Handle>> = {
    hello: (peer, { payload }) => this.hello(peer, payloads.readHello(payload)),
    ping: (peer, { payload }) => peer.send("pong", 0n, payload),
    pong: () => {},
    data: (peer, frame) => this.routes.pass(peer, frame),
    close: (peer, { route: id, payload }) => {
      const reason = payloads.readClose(payload);
      const route = peer.routes.get(id);
      if (route) this.routes.close(route, reason, peer);
    },
    open: (peer, { route, payload }) => this.visits.open(peer, route, payload),
    watch: (peer, { payload }) => this.watch(peer, payload),
    revoke: (peer, { payload }) => this.revoking.byHost(peer, payload),
    offer: (peer) => this.visits.offer(peer),
    withdraw: (peer, { payload }) => {
      if (payloads.readPlace(payload) === peer.place) this.places.withdraw(peer);
    },
    join: (peer, { route, payload }) => this.visits.join(peer, route, payloads.readPlace(payload)),
  };

  private async hello(peer: Peer, hello: payloads.Hello): Promise<void> {
    if (hello.role === "guest") peer.introduced("guest");
    else if (!(await this.introduce(peer, hello))) return;
    this.strangers--;
    this.assertWelcome(peer);
    if (hello.role === "host" && !(await this.enterHost(peer))) return;
    const { pingMs, routes } = this.options.limits;
    const welcome = { ping: pingMs / 1_000, maxRoutes: routes[peer.role as keyof typeof routes] };
    peer.send("welcome", 0n, payloads.welcomePayload(welcome));
    if (hello.role === "host") this.presence.update(peer.id);
  }

  /** Checks the signed hello of a host or a client. Returns false if the peer has left meanwhile. */
  private async introduce(peer: Peer, hello: SignedHello["hello"]): Promise<boolean> {
    const { primitives, authorities } = this.options;
    const authority = await signedFor(primitives, { nonce: peer.nonce, hello }, authorities());
    if (authority === undefined) throw new Refusal("unauthenticated", NOT_GENUINE, { ends: true });
    const id = await idOf(primitives, hello.publicKeys);
    if (peer.isClosed) return false;
    peer.introduced(hello.role, { id, hello, authority });
    this.ofIdentity.add(peer.id);
    return true;
  }

  private assertWelcome(peer: Peer): void {
    if (peer.role === "guest") return;
    const refused = (reason: ErrorName, text: string) => new Refusal(reason, text, { ends: true });
    if (this.options.revocations.isBlocked(peer.id)) throw refused("blocked", BLOCKED);
    const { socketsOfIdentity: most } = this.options.limits;
    if (this.ofIdentity.of(peer.id) > most) throw refused("limit", `An identity may have ${most} connections.`);
    if (peer.role === "host") this.assertNewest(peer);
  }

  private assertNewest(peer: Peer): void {
    const former = this.hosts.get(peer.id);
    if (former && former.generation >= peer.generation) throw new Refusal("superseded", NEWER, { ends: true });
  }

  /**
   * Makes this the host's only connection, unless it has a newer one, here or at another relay. Returns false if the peer has left
   * meanwhile.
   */
  private async enterHost(peer: Peer): Promise<boolean> {
    if (!(await this.node.claim(peer))) throw new Refusal("superseded", NEWER, { ends: true });
    if (peer.isClosed) return false;
    this.assertNewest(peer);
    const former = this.hosts.get(peer.id);
    this.hosts.set(peer.id, peer);
    former?.end("superseded", NEWER);
    await this.node.enter(peer);
    return !peer.isClosed;
  }

  /**
   * Whether this relay keeps a host. If the claim proves that the host has since connected to another relay, ends its connection here and
   * returns false.
   */
  private async keeps(host: Peer, claim: SignedHello): Promise<boolean> {
    if (claim.hello.generation <= host.generation) return true;
    const { primitives } = this.options;
    const id = base64url(await idOf(primitives, claim.hello.publicKeys));
    if (id !== host.id || !(await isGenuine(primitives, claim))) return true;
    host.end("superseded", NEWER);
    return false;
  }

  private async watch(peer: Peer, bytes: Bytes): Promise<void> {
    const { hostId, serial } = await grantOf(peer, bytes, this.options);
    if (!peer.watched.has(base64url(hostId)) && peer.watched.size >= this.options.limits.watches)
      throw new Refusal("limit", "This connection watches too many hosts.");
    await this.presence.watch(peer, hostId, serial);
  }
}
