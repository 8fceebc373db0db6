import { hex } from "../../protocol/bytes.ts";
import type { PublicKeys } from "../../protocol/identity.ts";
import { closePayload } from "../../protocol/payloads.ts";
import type { Bytes, Primitives } from "../../protocol/primitives.ts";
import { Refusal } from "../refusal.ts";
import type { Routes } from "../routes.ts";
import { Answers } from "./answers.ts";
import { type Bus, Unavailable } from "./bus.ts";
import type { FarEnd } from "./far-end.ts";
import { FarRoutes } from "./far-routes.ts";
import * as messages from "./messages.ts";
import { Neighbours } from "./neighbours.ts";
import type { NodeUser, OwnHost } from "./node-user.ts";

/** Milliseconds that another relay may take to answer whether it has a host, and whether it accepts a route. */
const LIMITS = { presence: 250, route: 1_000 };
/**
 * All hosts are announced again every so many calls of `check`. Two relays to which a host has connected at the same time may have missed
 * each other's announcement.
 */
const ANNOUNCE_CHECKS = 32;
/** The most revocations in one message. */
const MAX_REVOKED = 500;

interface Asking {
  subject: string;
  message: Bytes;
  /** Thrown if no relay has the host or place. */
  nobody: Refusal;
}

/** This relay as one of those that share its bus. */
export class BusNode {
  private readonly bus: Bus;
  private readonly primitives: Primitives;
  private readonly user: NodeUser;
  private readonly neighbours = new Neighbours();
  private readonly far: FarRoutes;
  private readonly answers: Answers;
  /** Functions that end the subscriptions for hosts and places of this relay, by subject. */
  private readonly subscribed = new Map<string, () => void>();
  private stopListening: (() => void) | undefined;
  private checks = 0;

  constructor(bus: Bus, primitives: Primitives, routes: Routes, user: NodeUser) {
    this.bus = bus;
    this.primitives = primitives;
    this.user = user;
    this.far = new FarRoutes(bus, routes, this.neighbours);
    this.answers = new Answers(this.far, user, (host) => this.announce(host));
    bus.subscribe(messages.subjects.revoke, (message) => this.user.revoked(message));
    bus.subscribe(messages.subjects.newcomer, (message) => this.greet(message));
    bus.start({ connected: () => this.connected(), lost: () => this.lost() });
  }

  get isConnected(): boolean {
    return this.bus.isConnected;
  }

  /** Detects relays that are gone. To be called several times a second. */
  check(): void {
    if (!this.isConnected) return;
    if (++this.checks % ANNOUNCE_CHECKS === 0) for (const host of this.user.hosts()) this.announce(host);
    this.neighbours.check(this.bus, this.far.own, (neighbour) => {
      this.far.lost(neighbour);
      this.user.hostChanged(hex(neighbour.node), false);
    });
  }

  /** Whether a host that has connected here may stay. It may not if another relay has a newer connection of it. */
  async claim(host: OwnHost): Promise<boolean> {
    // Relays that cannot be asked now are told when the bus is connected again.
    if (!this.isConnected) return true;
    const claim = messages.claimMessage(host.signed);
    const reply = await this.request(messages.subjects.host(host.idBytes), claim, LIMITS.presence).catch(
      () => undefined,
    );
    return reply === undefined || messages.isYes(reply);
  }

  /** Makes this host reachable for clients of other relays. */
  async enter(host: OwnHost): Promise<void> {
    const subject = messages.subjects.host(host.idBytes);
    this.subscribed.get(subject)?.();
    this.subscribed.set(
      subject,
      this.bus.subscribe(subject, (message, answer) => void this.answers.aboutHost(host, message).then(answer)),
    );
    this.announce(host);
    await this.bus.settled();
  }

  /** Tells the other relays about a host of this relay. One that has an older connection of the host ends it. */
  announce(host: OwnHost): void {
    this.bus.publish(messages.subjects.host(host.idBytes), messages.claimMessage(host.signed));
    this.bus.publish(messages.subjects.presence(host.idBytes), messages.presenceMessage(this.far.own, true));
  }

  leave(host: OwnHost): void {
    this.unsubscribe(messages.subjects.host(host.idBytes));
    this.bus.publish(messages.subjects.presence(host.idBytes), messages.presenceMessage(this.far.own, false));
  }

  /** Name of the relay that has a host; undefined if there is none, or it does not answer in time. */
  async whereIs(host: Bytes): Promise<string | undefined> {
    const asked = messages.bare("presence");
    const reply = await this.request(messages.subjects.host(host), asked, LIMITS.presence).catch(() => undefined);
    const answer = reply && messages.readAnswer(reply);
    if (!answer || "name" in answer) return undefined;
    this.neighbours.of(answer.link.node);
    return hex(answer.link.node);
  }

  /** Starts to report when a host connects to another relay, or leaves it. Returns a function that ends this. */
  watch(host: Bytes): () => void {
    return this.bus.subscribe(messages.subjects.presence(host), (message) => {
      const said = messages.presenceIn(message);
      if (!said) return;
      if (said.isThere) this.neighbours.of(said.node);
      this.user.hostChanged(hex(said.node), said.isThere, host);
    });
  }

  /**
   * Makes the far end of a route to a host or pairing place of another relay. Afterwards, call `open` or `join`, and `giveUp` if that
   * fails.
   */
  farHost(id: string): FarEnd {
    return this.far.make("host", id);
  }

  giveUp(end: FarEnd): void {
    this.far.over(end);
  }

  /** Asks the relay of a host to accept a route. Throws a Refusal. */
  open(end: FarEnd, host: Bytes, route: bigint, client: PublicKeys, grant: Bytes): Promise<void> {
    const message = messages.openMessage(this.far.linkOf(end), route, client, grant);
    const nobody = new Refusal("offline", "The host is not connected.");
    return this.takenBy(end, route, { subject: messages.subjects.host(host), message, nobody });
  }

  /** Asks the relay of a pairing place to accept a route. Throws a Refusal. */
  join(end: FarEnd, place: string, route: bigint): Promise<void> {
    const message = messages.joinMessage(this.far.linkOf(end), route);
    const nobody = new Refusal("place", "No host waits at this code.");
    return this.takenBy(end, route, { subject: messages.subjects.place(place), message, nobody });
  }

  /** Whether another relay has assigned this place. Throws a Refusal if the bus does not answer. */
  async isTaken(place: string): Promise<boolean> {
    if (!this.isConnected) return false;
    const asked = messages.bare("taken");
    return (await this.request(messages.subjects.place(place), asked, LIMITS.presence)) !== undefined;
  }

  async enterPlace(place: string): Promise<void> {
    const subject = messages.subjects.place(place);
    this.subscribed.set(
      subject,
      this.bus.subscribe(subject, (message, answer) => void this.answers.atPlace(place, message).then(answer)),
    );
    await this.bus.settled();
  }

  leavePlace(place: string): void {
    this.unsubscribe(messages.subjects.place(place));
  }

  revoke(revocation: Bytes): void {
    this.bus.publish(messages.subjects.revoke, revocation);
  }

  async stop(): Promise<void> {
    await this.bus.close();
  }

  /** Takes a new name on the bus. Other relays then notice that messages sent to the old one may not have arrived. */
  private connected(): void {
    this.far.own = this.primitives.random(messages.NODE_BYTES);
    this.stopListening?.();
    this.stopListening = this.bus.subscribe(messages.subjects.node(this.far.own), (message, answer) =>
      this.told(message, answer),
    );
    for (const host of this.user.hosts()) this.announce(host);
    this.bus.publish(messages.subjects.newcomer, this.far.own);
    this.user.busChanged(true);
  }

  private lost(): void {
    this.far.lost();
    this.neighbours.clear();
    this.user.busChanged(false);
  }

  /** Acts as if the connection to the bus had been lost, because a message over it has not arrived. */
  private startAnew(): void {
    this.lost();
    this.connected();
  }

  private told(message: Bytes, answer: (reply: Bytes) => void): void {
    try {
      const kind = messages.kindOf(message);
      if (kind === "frame" && !this.far.take(message)) this.startAnew();
      else if (kind === "alive") this.askedForAll(message, answer);
      else if (kind === "revoked") for (const each of messages.readRevoked(message)) this.user.revoked(each);
    } catch {
      // The message cannot be read, so its content has been lost.
      this.startAnew();
    }
  }

  private askedForAll(message: Bytes, answer: (reply: Bytes) => void): void {
    const { from, count } = messages.readAlive(message);
    const isAll = this.neighbours.of(from).received === count;
    answer(messages.verdict(isAll));
    if (!isAll) this.startAnew();
  }

  /** Asks another relay to accept a route. Throws a Refusal. */
  private async takenBy(end: FarEnd, route: bigint, { subject, message, nobody }: Asking): Promise<void> {
    const reply = await this.request(subject, message, LIMITS.route);
    if (!reply) throw nobody;
    const answer = messages.readAnswer(reply);
    if ("name" in answer) throw new Refusal(answer.name, answer.text);
    const isWanted = this.far.has(end);
    this.far.bind(end, answer.link);
    if (isWanted) return;
    // The route was given up meanwhile: the visitor has left, or the bus was lost.
    end.send("close", route, closePayload("gone"));
    throw new Refusal("unavailable", "The route was ended before it was open.");
  }

  private async request(subject: string, message: Bytes, limitMs: number): Promise<Bytes | undefined> {
    try {
      return await this.bus.request(subject, message, limitMs);
    } catch (thrown) {
      if (thrown instanceof Unavailable) throw new Refusal("unavailable", thrown.message);
      throw thrown;
    }
  }

  private greet(newcomer: Bytes): void {
    if (newcomer.length !== messages.NODE_BYTES) return;
    const all = [...this.user.revocations()];
    for (let at = 0; at < all.length; at += MAX_REVOKED)
      this.bus.publish(messages.subjects.node(newcomer), messages.revokedMessage(all.slice(at, at + MAX_REVOKED)));
  }

  private unsubscribe(subject: string): void {
    this.subscribed.get(subject)?.();
    this.subscribed.delete(subject);
  }
}
