import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Channel, ClientMessage, HostMessage, WireError } from "@scorel/host/client";
import type { Client, Delivered, Operation, Operations, Subscription } from "@scorel/host/contract";
import { messageOf, ScorelError } from "@scorel/kernel";
import { BEHIND } from "@scorel/kit/net/delivery";
import { sendableData } from "@scorel/kit/net/error-data";
import { errors } from "./errors.ts";
import { Outbox } from "./outbox.ts";
import { RequestLine } from "./request-line.ts";

/** The most requests of a client without an answer. */
const MAX_PENDING = 256;
/** The most numbers of requests that are remembered of a client that does not confirm its answers. */
const MAX_RECEIVED = 10_000;
/** The most subscriptions of a client. */
const MAX_SUBSCRIPTIONS = 128;
/** The most characters of answers that are kept in case the connection is lost before the client gets them. The latest is always kept. */
const KEPT_ANSWERS = 1024 * 1024;
/** The most bytes of an answer. Clients close a connection on which a longer message comes. */
const MAX_ANSWER = 64 * 1024 * 1024;
/** Bytes of unsent data above which no further request of the client begins. */
const MAX_UNSENT = 1024 * 1024;
/** The most characters of requests that wait until a client reads; further ones are refused. As long as the longest request may be. */
const MAX_STUCK_REQUESTS = 16 * 1024 * 1024;
/** The most changes of the list of sessions that wait for a client. */
const MAX_CHANGES = 2_000;

type Asking = Extract<ClientMessage, { requestId: number }>;

/** A client of the host over connections. It outlives its connections, so that a client that reconnects can resume. */
export class Guest {
  readonly secret = randomBytes(16).toString("base64url");
  readonly client: Client;
  /** The subscriptions by number. `end` is undefined while a subscription begins. */
  private readonly subscriptions = new Map<number, { end?: () => Promise<void>; sessionId?: string }>();
  /** Numbers of received requests; below, running requests, and answers that the client may not have got. */
  private readonly received = new Set<number>();
  private readonly pending = new Set<number>();
  private readonly answers = new Map<number, string>();
  private kept = 0;
  /** The number of the last request up to which all answers have reached the client. */
  private settled = 0;
  /** The characters of the pending requests. */
  private asked = 0;
  private channel: Channel | undefined;
  private outbox: Outbox | undefined;
  private readonly line = new RequestLine(() => this.isStuck);

  constructor(client: Client) {
    this.client = client;
  }

  /** Whether a secret belongs to this client. */
  isSecret(secret: string): boolean {
    const [own, given] = [Buffer.from(this.secret), Buffer.from(secret)];
    return own.length === given.length && timingSafeEqual(own, given);
  }

  /** Called when the client has connected. */
  join(channel: Channel): void {
    this.channel = channel;
    this.outbox = new Outbox((message) => channel.send(message));
  }

  /** Sends the events of the client's sessions so far. Resolves when they are sent, but not later than after `limitMs` milliseconds. */
  async flush(limitMs: number): Promise<void> {
    const followed = new Set([...this.subscriptions.values()].flatMap(({ sessionId }) => sessionId ?? []));
    const drained = Promise.allSettled([...followed].map((sessionId) => this.client.drained(sessionId)));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
    });
    await Promise.race([drained, late]);
    clearTimeout(timer);
    this.outbox?.flush();
  }

  /** Called when the connection is lost. Requests go on. Subscriptions end; the client subscribes again with its position. */
  async part(): Promise<void> {
    this.channel = undefined;
    this.outbox?.end();
    this.outbox = undefined;
    const ends = [...this.subscriptions.values()];
    this.subscriptions.clear();
    await Promise.all(ends.map(({ end }) => end?.()));
  }

  /** Ends the client, and releases its sessions. */
  async leave(): Promise<void> {
    await this.part();
    await this.client.close();
  }

  took(characters: number): void {
    this.outbox?.took(characters);
  }

  /** Executes a request, only once, and answers it. `characters` is the length of the message. */
  ask(message: Asking, characters: number): void {
    const { requestId } = message;
    // Subscriptions belong to a connection, so a repeated request for one begins a new subscription.
    const isKnown = requestId <= this.settled || this.received.has(requestId);
    if (isKnown && message.type === "request") this.repeat(requestId);
    else if (this.pending.size >= MAX_PENDING || (this.asked + characters > MAX_STUCK_REQUESTS && this.isStuck))
      this.refuse(requestId, errors.GATEWAY_BUSY({ max: MAX_PENDING }));
    else {
      this.received.add(requestId);
      // The older half counts as confirmed.
      if (this.received.size > MAX_RECEIVED) this.arrived([...this.received][MAX_RECEIVED / 2] as number);
      this.pending.add(requestId);
      const { outbox } = this;
      this.asked += characters;
      const isWanted = () => message.type === "request" || outbox === this.outbox;
      const done = () => {
        this.asked -= characters;
      };
      this.line.add(() => this.settle(message, isWanted).finally(done));
    }
  }

  /**
   * Carries a message out, and answers it. What belongs to a connection that is lost meanwhile (`isWanted` is false) is dropped: the client
   * sends it again over the next one, where it would otherwise begin twice.
   */
  private async settle(message: Asking, isWanted: () => boolean): Promise<void> {
    const { requestId } = message;
    try {
      if (!isWanted()) return;
      const result = await this.carryOut(message);
      const text = JSON.stringify({ type: "response", requestId, result } satisfies HostMessage);
      const bytes = text.length * 3 > MAX_ANSWER ? Buffer.byteLength(text) : 0;
      if (bytes > MAX_ANSWER) throw errors.GATEWAY_ANSWER({ bytes, max: MAX_ANSWER });
      if (isWanted()) this.answer(requestId, text);
    } catch (thrown) {
      if (isWanted()) this.refuse(requestId, thrown);
    } finally {
      this.pending.delete(requestId);
    }
  }

  /** Called when the answers to all requests up to this number have reached the client. */
  arrived(requestId: number): void {
    this.settled = Math.max(this.settled, requestId);
    for (const id of this.received) if (id <= requestId) this.received.delete(id);
    for (const id of this.answers.keys()) if (id <= requestId) this.forget(id);
  }

  private get isStuck(): boolean {
    return (this.channel?.unsent ?? 0) > MAX_UNSENT;
  }

  private repeat(requestId: number): void {
    const answer = this.answers.get(requestId);
    if (answer !== undefined) this.channel?.send(answer);
    else if (!this.pending.has(requestId)) this.refuse(requestId, errors.GATEWAY_RESULT_GONE({ requestId }));
  }

  private carryOut(message: Asking): Promise<unknown> {
    if (message.type === "request")
      return this.client.request(message.operation as Operation, message.params as Operations[Operation]["params"]);
    if (message.type === "subscribe") return this.subscribe(message);
    if (message.type === "watch") return this.watch(message);
    if (message.type === "unsubscribe") return this.unsubscribe(message.subscription);
    return this.client.drained(message.sessionId).then(() => undefined);
  }

  private async subscribe(message: Extract<ClientMessage, { type: "subscribe" }>): Promise<unknown> {
    const { outbox } = this;
    const { tail, ...options } = message.options;
    return this.begin(message, async () => {
      let running: Subscription | undefined;
      const listener = (delivered: Delivered) => {
        const { anchor, isReplay } = running as Subscription;
        return outbox?.add(message.subscription, delivered, anchor, isReplay);
      };
      running = await this.client.subscribe(message.sessionId, listener, {
        ...options,
        ...BEHIND,
        ...(tail !== undefined && { tail: tail === "all" ? Number.POSITIVE_INFINITY : tail }),
      });
      const { mode, more, status, anchor } = running;
      return { end: running, result: { mode, more, status, anchor } };
    });
  }

  private async watch({ subscription, capacity }: Extract<ClientMessage, { type: "watch" }>): Promise<unknown> {
    const { outbox } = this;
    return this.begin({ subscription }, async () => {
      const end = await this.client.watchSessions(
        (change) => outbox?.addChange(subscription, change),
        capacity === undefined ? {} : { capacity: Math.min(capacity, MAX_CHANGES) },
      );
      return { end, result: undefined };
    });
  }

  /** Begins a subscription, and replaces one with the same number. If the client has ended it meanwhile, it ends at once. */
  private async begin(
    { subscription: number, sessionId }: { subscription: number; sessionId?: string },
    start: () => Promise<{ end: () => Promise<void>; result: unknown }>,
  ) {
    const former = this.subscriptions.get(number);
    if (!former && this.subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw errors.GATEWAY_SUBSCRIPTIONS({ max: MAX_SUBSCRIPTIONS });
    const place: { end?: () => Promise<void>; sessionId?: string } = sessionId === undefined ? {} : { sessionId };
    this.subscriptions.set(number, place);
    this.outbox?.forget(number);
    try {
      await former?.end?.();
      const { end, result } = await start();
      place.end = end;
      if (this.subscriptions.get(number) !== place) await end();
      return result;
    } catch (thrown) {
      if (this.subscriptions.get(number) === place) this.subscriptions.delete(number);
      throw thrown;
    }
  }

  private async unsubscribe(number: number): Promise<void> {
    const place = this.subscriptions.get(number);
    this.subscriptions.delete(number);
    this.outbox?.forget(number);
    await place?.end?.();
  }

  private refuse(requestId: number, thrown: unknown): void {
    const message: HostMessage = { type: "response", requestId, error: wireError(thrown) };
    this.answer(requestId, JSON.stringify(message));
  }

  private answer(requestId: number, text: string): void {
    // A subscription that is repeated over another connection is answered again.
    this.kept += text.length - (this.answers.get(requestId)?.length ?? 0);
    this.answers.set(requestId, text);
    for (const id of this.answers.keys()) {
      if (this.kept <= KEPT_ANSWERS || id === requestId) break;
      this.forget(id);
    }
    // Events that happened before are sent before.
    this.outbox?.flush();
    this.channel?.send(text);
  }

  private forget(requestId: number): void {
    this.kept -= this.answers.get(requestId)?.length ?? 0;
    this.answers.delete(requestId);
  }
}

/** An error as it is sent: its code, message and the data that can be sent. */
export function wireError(thrown: unknown): WireError {
  if (!(thrown instanceof ScorelError)) return { code: "UNEXPECTED", message: messageOf(thrown) };
  const { code, message } = thrown;
  const data = sendableData(thrown);
  return { code, message, ...(data && { data }) };
}
