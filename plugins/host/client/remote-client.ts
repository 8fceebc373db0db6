import { codeOf } from "@scorel/kit/values/coded-error";
import type { Client, Operation, Operations, Subscription } from "../contract.ts";
import { assertDial } from "./dialed.ts";
import { errors } from "./errors.ts";
import { everyPage } from "./every-page.ts";
import { Link } from "./link.ts";
import { type LinkOptions, type LinkState, TIMES } from "./link-options.ts";
import { withMessageId } from "./message-ids.ts";
import { RemoteSubscription } from "./remote-subscription.ts";
import { RemoteWatcher } from "./remote-watcher.ts";
import { openAgain, Reopening, restoreMode } from "./reopening.ts";
import { Requests, type Unnumbered } from "./requests.ts";
import type { Answer, HostMessage, Subscribed, Welcome } from "./wire.ts";

/** Number of processed characters after which the client reports to the host, which then sends more. */
const REPORT_EVERY = 64 * 1024;

/** Options of `connectHost`. */
export interface RemoteOptions extends LinkOptions {
  /** Called with errors of listeners. Default: they are rethrown as uncaught errors. */
  listenerFailed?: ((thrown: unknown) => void) | undefined;
}

/** A client of a host in another process. */
export interface RemoteClient extends Client {
  /** The state of the connection. */
  readonly state: LinkState;
  /** Calls `listener` with every change of `state`. Returns a function that removes the listener. */
  onState(listener: (state: LinkState) => void): () => void;
  /** Ends the wait before reconnecting, or checks a live connection, as when the network returns. */
  hurry(): void;
}

/** Connects to a host. Rejects if that fails and the client is not `patient`. If the connection is lost later, the client reconnects. */
export async function connectRemote(options: RemoteOptions): Promise<RemoteClient> {
  assertDial((options as Partial<RemoteOptions> | undefined)?.dial);
  const client = new WireClient(options);
  await client.start();
  return client;
}

class WireClient implements RemoteClient {
  clientId = "";
  private readonly link: Link;
  private readonly failed: (thrown: unknown) => void;
  private readonly requests: Requests;
  private readonly subscriptions = new Map<number, RemoteSubscription>();
  private readonly watchers = new Map<number, RemoteWatcher>();
  private readonly reopening = new Reopening();
  /** False while the host does not know yet which sessions this client has open, because it was restarted or has forgotten the client. */
  private isReopened = true;
  private readonly listeners = new Set<(state: LinkState) => void>();
  private connections = 0;
  private processed = 0;
  private reported = 0;
  private end: Error | undefined;

  constructor(options: RemoteOptions) {
    this.failed = options.listenerFailed ?? throwLater;
    this.link = new Link(options, {
      connected: (welcome) => this.connected(welcome),
      message: (message, characters) => this.take(message, characters),
      answered: () => this.requests.answered,
      ended: (error) => this.ended(error),
      state: (state) => this.became(state),
    });
    const { address, times } = options;
    this.requests = new Requests((message) => this.link.send(message), { times: { ...TIMES, ...times }, address });
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
    const subscription = new RemoteSubscription(this.requests.number(), sessionId, listener, options, this.failed);
    this.subscriptions.set(subscription.number, subscription);
    try {
      const begun = (await this.ask(subscribing(subscription))) as Subscribed;
      return subscription.handle(begun, () => this.unsubscribe(subscription));
    } catch (thrown) {
      this.subscriptions.delete(subscription.number);
      this.endUnanswered(subscription.number, thrown);
      throw thrown;
    }
  }

  async watchSessions(...[listener, options = {}]: Parameters<Client["watchSessions"]>): Promise<() => Promise<void>> {
    const number = this.requests.number();
    const watcher = new RemoteWatcher(listener, options.capacity, this.failed);
    this.watchers.set(number, watcher);
    try {
      await this.ask({ type: "watch", subscription: number, capacity: options.capacity });
    } catch (thrown) {
      this.watchers.delete(number);
      this.endUnanswered(number, thrown);
      throw thrown;
    }
    return async () => {
      watcher.end();
      if (this.watchers.delete(number)) await this.endAtHost(number);
    };
  }

  async drained(sessionId: string): Promise<void> {
    const own = () => [...this.subscriptions.values()].filter((subscription) => subscription.sessionId === sessionId);
    let connection: number;
    do {
      await Promise.all(own().map((subscription) => subscription.whole()));
      connection = this.connections;
      await this.ask({ type: "drain", sessionId });
      // After a reconnection, the host may have answered before the subscriptions were resumed.
    } while (connection !== this.connections || !this.link.isLive);
    await Promise.all(own().map((subscription) => subscription.caughtUp()));
  }

  async close(): Promise<void> {
    this.link.close();
  }

  private async unsubscribe(subscription: RemoteSubscription): Promise<void> {
    subscription.end();
    if (this.subscriptions.delete(subscription.number)) await this.endAtHost(subscription.number);
  }

  /** Ends a subscription at the host. Errors are ignored: a host without a connection to this client has already ended it. */
  private async endAtHost(subscription: number): Promise<void> {
    if (this.link.isLive) await this.ask({ type: "unsubscribe", subscription }).catch(() => {});
  }

  /** Ends a subscription that nobody waits for any more, since the host may have begun it after the time limit for its answer. */
  private endUnanswered(subscription: number, thrown: unknown): void {
    if (codeOf(thrown) === "LINK_UNANSWERED") void this.endAtHost(subscription);
  }

  private ask(message: Unnumbered): Promise<unknown> {
    return this.end ? Promise.reject(this.end) : this.requests.ask(message);
  }

  private take(message: Answer, characters: number): boolean {
    const connection = this.connections;
    const done = () => this.report(characters, connection);
    if (message.type === "response") this.answer(message);
    else if (message.type === "events") {
      const subscription = this.subscriptions.get(message.subscription);
      if (subscription) {
        for (const delivered of message.events) this.reopening.hear(subscription.sessionId, delivered, this.clientId);
        return subscription.take(message, done);
      }
      done();
    } else {
      const watcher = this.watchers.get(message.subscription);
      if (watcher) watcher.take(message.changes, done);
      else done();
    }
    return true;
  }

  private answer(response: Extract<HostMessage, { type: "response" }>): void {
    const asked = this.requests.take(response);
    // Done before the caller is notified, because events may follow in the same turn of the event loop.
    if (asked?.message.type === "subscribe" && asked.isUsable && "result" in response)
      this.subscriptions.get(asked.message.subscription)?.begin(response.result as Subscribed);
    asked?.tell();
  }

  /** Reports processed characters to the host. Messages of an earlier connection do not count. */
  private report(characters: number, connection: number): void {
    if (connection !== this.connections) return;
    this.processed += characters;
    if (this.processed - this.reported < REPORT_EVERY) return;
    this.reported = this.processed;
    this.link.send({ type: "processed", characters: this.processed });
  }

  private became(state: LinkState): void {
    if (state.state === "waiting") {
      this.requests.connected(0);
      for (const subscription of this.subscriptions.values()) subscription.interrupt(state);
    }
    for (const listener of this.listeners) {
      // A listener may have changed the state by closing the client. The others have heard that already.
      if (this.link.state !== state) return;
      this.call(listener, state);
    }
  }

  /** Calls a listener. Its errors do not affect the connection. */
  private call(listener: (state: LinkState) => void, state: LinkState): void {
    try {
      listener(state);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  private connected({ clientId, resumed }: Welcome): void {
    this.connections++;
    this.clientId = clientId;
    this.processed = 0;
    this.reported = 0;
    this.requests.connected(this.connections, clientId);
    if (this.connections > 1 && !resumed) this.isReopened = false;
    this.resumeWork(this.connections).catch(this.failed);
  }

  /**
   * Resumes the work on a new connection. If the host was restarted, or has forgotten this client, reopens the client's sessions with their
   * options. Then repeats unanswered requests in such a way that none is carried out twice, and resumes the subscriptions.
   */
  private async resumeWork(connection: number): Promise<void> {
    if (!this.isReopened) {
      // If a session cannot be reopened, its next request fails with the reason.
      await Promise.allSettled(this.reopening.sessions().map((params) => this.reopen(params)));
      const attending = this.reopening.attending();
      await Promise.allSettled(attending.map((params) => this.operate("attend_requests", params)));
      if (connection !== this.connections) return;
      this.isReopened = true;
    }
    const readOnly = this.requests.areUnclear
      ? await this.readOnly().catch(() => new Set<string>())
      : new Set<string>();
    // The client has reconnected again in the meantime, and the new connection does this work.
    if (connection !== this.connections || this.end) return;
    const asked = this.requests.subscriptions;
    this.requests.repeat(readOnly);
    for (const subscription of this.subscriptions.values())
      if (!asked.has(subscription.number))
        this.ask(subscribing(subscription)).catch((thrown) => this.failSubscription(subscription, thrown));
    for (const [number, watcher] of this.watchers)
      if (!asked.has(number)) this.watchAgain(number, watcher).catch((thrown) => this.end ?? this.failed(thrown));
  }

  /** Reopens a session, which other clients may already have opened. */
  private async reopen(params: { sessionId: string }): Promise<void> {
    if (!(await openAgain(params, this.operate))) return;
    const { sessionId } = params;
    // Not awaited, because it waits for the subscriptions, which are resumed later.
    this.drained(sessionId)
      .then(() => restoreMode(sessionId, this.reopening, this.operate))
      // If the client may not set the mode, it learns the actual one from the session's events.
      .catch(() => {});
  }

  private readonly operate = (operation: string, params: { sessionId: string }): Promise<unknown> =>
    this.ask({ type: "request", operation, params: { ...params } });

  private async watchAgain(subscription: number, watcher: RemoteWatcher): Promise<void> {
    await this.ask({ type: "watch", subscription, capacity: watcher.capacity });
    watcher.take([{ change: "missed" }], () => {});
  }

  /** Ends a subscription that could not be resumed, for example because the session was deleted. */
  private failSubscription(subscription: RemoteSubscription, thrown: unknown): void {
    if (this.end || !this.subscriptions.delete(subscription.number)) return;
    if (!subscription.fail(thrown as Error)) this.failed(thrown);
  }

  /** Names of the operations that change nothing, which can be repeated after a restart of the host. */
  private async readOnly(): Promise<ReadonlySet<string>> {
    const { operations } = await everyPage(
      (page) =>
        this.ask({ type: "request", operation: "list_operations", params: { ...page } }) as Promise<
          Operations["list_operations"]["result"]
        >,
    );
    return new Set(operations.filter(({ readOnly }) => readOnly).map(({ name }) => name));
  }

  private ended(error: Error | undefined): void {
    this.end = error ?? errors.LINK_ENDED({ reason: "the client was closed" });
    this.requests.fail(this.end);
    for (const subscription of this.subscriptions.values())
      if (error) subscription.fail(error);
      else subscription.end();
    for (const watcher of this.watchers.values()) watcher.end();
    this.subscriptions.clear();
    this.watchers.clear();
  }
}

function subscribing(subscription: RemoteSubscription): Unnumbered {
  const { number, sessionId, wanted } = subscription;
  return { type: "subscribe", subscription: number, sessionId, options: wanted };
}

function throwLater(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
