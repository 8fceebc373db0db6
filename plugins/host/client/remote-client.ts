import { newId } from "@scorel/kit/values/id";
import type { Client, Operation, Operations, Subscription } from "../contract.ts";
import { errors } from "./errors.ts";
import { Link, type LinkOptions, type LinkState, remoteError } from "./link.ts";
import { RemoteSubscription } from "./remote-subscription.ts";
import { Reopening } from "./reopening.ts";
import type { Answer, ClientMessage, HostMessage, Subscribed, Welcome, WireError } from "./wire.ts";

/** Processed characters after which the host is told, so that it sends more. */
const REPORT_EVERY = 64 * 1024;

type Answered = Extract<ClientMessage, { requestId: number }>;
type Unnumbered<M = Answered> = M extends Answered ? Omit<M, "requestId"> : never;
type Watcher = Parameters<Client["watchSessions"]>[0];

interface Pending {
  message: Answered;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

export interface RemoteOptions extends LinkOptions {
  /** Called with what a listener throws. Default: it is thrown again, as an uncaught error. */
  listenerFailed?: ((thrown: unknown) => void) | undefined;
}

/** A client of a host in another process. */
export interface RemoteClient extends Client {
  /** How it is connected now. */
  readonly state: LinkState;
  /** Calls `listener` with every change of the connection. Returns the function that ends it. */
  onState(listener: (state: LinkState) => void): () => void;
  /** Connects now instead of after the current wait, as when a network returns. */
  hurry(): void;
}

/** Connects to a host. Rejects if that fails; when the connection is lost later, the client connects again by itself. */
export async function connectRemote(options: RemoteOptions): Promise<RemoteClient> {
  const client = new WireClient(options);
  await client.start();
  return client;
}

class WireClient implements RemoteClient {
  clientId = "";
  private readonly link: Link;
  private readonly failed: (thrown: unknown) => void;
  private readonly pending = new Map<number, Pending>();
  private readonly subscriptions = new Map<number, RemoteSubscription>();
  private readonly watchers = new Map<number, { listener: Watcher; capacity: number | undefined }>();
  private readonly reopening = new Reopening();
  private readonly listeners = new Set<(state: LinkState) => void>();
  private connections = 0;
  private numbers = 0;
  private processed = 0;
  private reported = 0;
  private end: Error | undefined;

  constructor(options: RemoteOptions) {
    this.failed = options.listenerFailed ?? throwLater;
    this.link = new Link(options, {
      connected: (welcome) => this.connected(welcome),
      message: (message, characters) => this.take(message, characters),
      answered: () => Math.min(this.numbers, ...[...this.pending.keys()].map((requestId) => requestId - 1)),
      ended: (error) => this.ended(error),
      state: (state) => {
        if (state.state === "waiting") for (const subscription of this.subscriptions.values()) subscription.interrupt();
        for (const listener of this.listeners) listener(state);
      },
    });
  }

  start(): Promise<void> {
    return this.link.start();
  }

  get state(): LinkState {
    return this.link.state;
  }

  onState(listener: (state: LinkState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  hurry(): void {
    this.link.hurry();
  }

  readonly request = async <O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> => {
    const sent = withMessageId(operation, params as Record<string, unknown>);
    const result = await this.ask({ type: "request", operation, params: sent });
    this.reopening.take(operation, sent, result);
    return result as Operations[O]["result"];
  };

  async subscribe(...[sessionId, listener, options = {}]: Parameters<Client["subscribe"]>): Promise<Subscription> {
    const subscription = new RemoteSubscription(++this.numbers, sessionId, listener, options, {
      processed: (characters) => this.report(characters),
      failed: this.failed,
    });
    this.subscriptions.set(subscription.number, subscription);
    try {
      const begun = (await this.ask(subscribing(subscription))) as Subscribed;
      return subscription.handle(begun, () => this.unsubscribe(subscription));
    } catch (thrown) {
      this.subscriptions.delete(subscription.number);
      throw thrown;
    }
  }

  async watchSessions(...[listener, options = {}]: Parameters<Client["watchSessions"]>): Promise<() => Promise<void>> {
    const number = ++this.numbers;
    this.watchers.set(number, { listener, capacity: options.capacity });
    try {
      await this.ask({ type: "watch", subscription: number, capacity: options.capacity });
    } catch (thrown) {
      this.watchers.delete(number);
      throw thrown;
    }
    return () => (this.watchers.delete(number) ? this.endAtHost(number) : Promise.resolve());
  }

  async drained(sessionId: string): Promise<void> {
    const own = () => [...this.subscriptions.values()].filter((subscription) => subscription.sessionId === sessionId);
    await Promise.all(own().map((subscription) => subscription.whole()));
    await this.ask({ type: "drain", sessionId });
    // The connection may have been lost meanwhile.
    await Promise.all(own().map((subscription) => subscription.whole()));
    await Promise.all(own().map((subscription) => subscription.caughtUp()));
  }

  async close(): Promise<void> {
    this.link.close();
  }

  private async unsubscribe(subscription: RemoteSubscription): Promise<void> {
    subscription.end();
    if (this.subscriptions.delete(subscription.number)) await this.endAtHost(subscription.number);
  }

  /** A host that does not answer has nothing left to end. */
  private async endAtHost(subscription: number): Promise<void> {
    await this.ask({ type: "unsubscribe", subscription }).catch(() => {});
  }

  private ask(message: Unnumbered): Promise<unknown> {
    if (this.end) return Promise.reject(this.end);
    const numbered = { ...message, requestId: ++this.numbers } as Answered;
    return new Promise((resolve, reject) => {
      this.pending.set(numbered.requestId, { message: numbered, resolve, reject });
      if (this.link.isLive) this.link.send(numbered);
    });
  }

  private take(message: Answer, characters: number): void {
    if (message.type === "response") this.answer(message);
    else if (message.type === "events") this.deliver(message, characters);
    else this.tell(message);
  }

  private answer(message: Extract<HostMessage, { type: "response" }>): void {
    const pending = this.pending.get(message.requestId);
    this.pending.delete(message.requestId);
    if (!pending) return;
    const { message: asked, resolve, reject } = pending;
    if ("error" in message) {
      reject(remoteError(message.error));
      return;
    }
    // Before the caller hears of it: events may follow in the same turn of the event loop.
    if (asked.type === "subscribe") this.subscriptions.get(asked.subscription)?.begin(message.result as Subscribed);
    resolve(message.result);
  }

  private deliver(message: Extract<HostMessage, { type: "events" }>, characters: number): void {
    const subscription = this.subscriptions.get(message.subscription);
    if (subscription) subscription.take(message, characters);
    else this.report(characters);
  }

  private tell({ subscription, changes }: Extract<HostMessage, { type: "changes" }>): void {
    const watcher = this.watchers.get(subscription);
    if (!watcher) return;
    for (const change of changes) {
      try {
        Promise.resolve(watcher.listener(change)).catch(this.failed);
      } catch (thrown) {
        this.failed(thrown);
      }
    }
  }

  private report(characters: number): void {
    this.processed += characters;
    if (this.processed - this.reported < REPORT_EVERY) return;
    this.reported = this.processed;
    this.link.send({ type: "processed", characters: this.processed });
  }

  private connected(welcome: Welcome): void {
    const isFirst = this.clientId === "";
    this.connections++;
    this.clientId = welcome.clientId;
    this.processed = 0;
    this.reported = 0;
    if (isFirst) return;
    if (welcome.resumed) this.goOn();
    else void this.startOver(this.connections);
  }

  /** The host still knows this client: what it had not answered is asked again, and is done only once. */
  private goOn(): void {
    for (const { message } of this.pending.values()) this.link.send(message);
    this.resubscribe();
  }

  /** The host was restarted, or has forgotten this client: opens the client's sessions again, with their options. */
  private async startOver(connection: number): Promise<void> {
    const open = [...this.pending.values()];
    const sessions = this.reopening.sessions();
    const opening = sessions.map((params) => this.ask({ type: "request", operation: "load_session", params }));
    // A session that cannot be opened any more answers its next request with the reason.
    await Promise.allSettled(opening);
    const requests = open.flatMap(({ message }) => (message.type === "request" ? [message] : []));
    const readOnly = requests.length > 0 ? await this.readOnly().catch(() => new Set<string>()) : new Set<string>();
    // Connected once more meanwhile, which began all this again.
    if (connection !== this.connections) return;
    for (const { message } of open)
      if (message.type !== "request" || mayRepeat(message, readOnly)) this.link.send(message);
      else this.answer({ type: "response", requestId: message.requestId, error: lost(message.operation) });
    this.resubscribe();
  }

  /** Goes on with all subscriptions but those that are being asked for. */
  private resubscribe(): void {
    const asked = [...this.pending.values()].flatMap(({ message }) =>
      "subscription" in message ? message.subscription : [],
    );
    const isAsked = (number: number) => asked.includes(number);
    for (const subscription of this.subscriptions.values())
      if (!isAsked(subscription.number)) this.ask(subscribing(subscription)).catch(this.failed);
    for (const [subscription, { capacity }] of this.watchers) {
      if (!isAsked(subscription)) this.ask({ type: "watch", subscription, capacity }).catch(this.failed);
      this.tell({ type: "changes", subscription, changes: [{ change: "missed" }] });
    }
  }

  /** Names of the operations that change nothing, which can be asked again after a restart. */
  private async readOnly(): Promise<ReadonlySet<string>> {
    const asked = this.ask({ type: "request", operation: "list_operations", params: {} });
    const { operations } = (await asked) as Operations["list_operations"]["result"];
    return new Set(operations.filter(({ readOnly }) => readOnly).map(({ name }) => name));
  }

  private ended(error: Error | undefined): void {
    this.end = error ?? errors.LINK_CLOSED({ reason: "the client was closed" });
    for (const { reject } of this.pending.values()) reject(this.end);
    this.pending.clear();
    for (const subscription of this.subscriptions.values()) subscription.end();
    this.subscriptions.clear();
    this.watchers.clear();
  }
}

function subscribing(subscription: RemoteSubscription): Unnumbered {
  const { number, sessionId, wanted } = subscription;
  return { type: "subscribe", subscription: number, sessionId, options: wanted };
}

/** Whether a request can be sent to a host that may have carried it out already: it changes nothing, or has a messageId. */
function mayRepeat({ operation, params }: Extract<ClientMessage, { type: "request" }>, readOnly: ReadonlySet<string>) {
  return readOnly.has(operation) || typeof params.messageId === "string";
}

function lost(operation: string): WireError {
  const { code, message, data } = errors.LINK_LOST({ operation });
  return { code, message, data };
}

/** A message is sent once, however often its request has to be repeated. */
function withMessageId(operation: string, params: Record<string, unknown>): Record<string, unknown> {
  return operation === "send_message" && params.messageId === undefined ? { ...params, messageId: newId() } : params;
}

function throwLater(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
