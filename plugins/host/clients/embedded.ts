import type { Client, ClientScope, Delivered, Operation, Operations } from "../contract.ts";
import { errors } from "../errors.ts";
import type { OpenSession } from "../sessions/open-session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { Access } from "./access.ts";
import { type Caller, openFor, releaseSession } from "./caller.ts";
import { deliver, isMissed } from "./delivered.ts";
import { runOperation } from "./run-operation.ts";

type Heard = (delivered: Delivered) => void | Promise<void>;
type Following = Parameters<Client["subscribe"]>[2];
interface Subscription {
  session: OpenSession;
  undo(): unknown;
  /** Subscribes to the session that replaces the present one after a reload. */
  follow(session: OpenSession): void;
  /** seq of the last event that the listener has processed. */
  heard: number;
  waiting: { seq: number; done: () => void }[];
}

/** A client in the host's own process. Same contract as a remote one, without serialization. */
export class EmbeddedClient implements Client, Caller {
  readonly clientId: string;
  readonly access: Access;
  readonly sessions: Sessions;
  readonly held = new Map<string, AbortController>();
  attending?: boolean | undefined;
  private readonly subscriptions = new Set<Subscription>();
  private closed = false;

  constructor(sessions: Sessions, { clientId, scope }: { clientId: string; scope?: ClientScope | undefined }) {
    this.sessions = sessions;
    this.clientId = clientId;
    this.access = new Access(scope, sessions);
  }

  /** Bound to the client, because callers pass it on as a function. */
  readonly request = async <O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
  ): Promise<Operations[O]["result"]> => {
    this.mustBeOpen();
    try {
      return await runOperation(operation, params, this);
    } finally {
      // If the client was closed meanwhile, release the sessions that this request opened.
      if (this.closed) await this.releaseAll();
    }
  };

  async subscribe(sessionId: string, listener: Heard, options?: Following): Promise<() => Promise<void>> {
    this.mustBeOpen();
    if (this.access.limited) await this.access.assertOperation("subscribe", { readOnly: true }, { sessionId });
    const session = await openFor({ sessionId }, this);
    const subscription: Subscription = { session, undo: () => {}, follow: () => {}, heard: 0, waiting: [] };
    subscription.follow = (present) => follow(subscription, present, listener, options);
    subscription.follow(session);
    session.followers.add(subscription.follow);
    this.subscriptions.add(subscription);
    return () => this.unsubscribe(subscription);
  }

  /** Waits only for this client's own listeners, so another subscriber that hangs does not block it. */
  async drained(sessionId: string): Promise<void> {
    const own = [...this.subscriptions].filter(({ session }) => session.id === sessionId);
    await Promise.all(
      own.map((subscription) => Promise.race([caughtUp(subscription), subscription.session.kernel.drained()])),
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const subscription of [...this.subscriptions]) await this.unsubscribe(subscription);
    await this.releaseAll();
  }

  private async unsubscribe(subscription: Subscription): Promise<void> {
    if (!this.subscriptions.delete(subscription)) return;
    subscription.session.followers.delete(subscription.follow);
    await subscription.undo();
    for (const { done } of subscription.waiting.splice(0)) done();
  }

  private async releaseAll(): Promise<void> {
    for (const id of [...this.held.keys()]) await releaseSession(id, this);
  }

  private mustBeOpen(): void {
    if (this.closed) throw errors.HOST_CLIENT_CLOSED({ clientId: this.clientId });
  }
}

function follow(subscription: Subscription, session: OpenSession, listener: Heard, options?: Following): void {
  const { kernel } = session;
  // An ended session sends nothing more, so those who wait for it are done.
  for (const { done } of subscription.waiting.splice(0)) done();
  Object.assign(subscription, { session, heard: kernel.session.seq });
  subscription.undo = kernel.subscribe(async (event) => {
    try {
      await listener(deliver(kernel.session, event));
    } finally {
      if (!isMissed(event)) advance(subscription, event.seq);
    }
  }, options);
}

/** Resolves when the listener has processed the current seq. Every seq is announced eventually. */
function caughtUp(subscription: Subscription): Promise<void> {
  const { seq } = subscription.session.kernel.session;
  if (subscription.heard >= seq) return Promise.resolve();
  return new Promise((done) => subscription.waiting.push({ seq, done }));
}

function advance(subscription: Subscription, seq: number): void {
  subscription.heard = Math.max(subscription.heard, seq);
  const reached = subscription.waiting.filter((wait) => wait.seq <= subscription.heard);
  subscription.waiting = subscription.waiting.filter((wait) => wait.seq > subscription.heard);
  for (const { done } of reached) done();
}
