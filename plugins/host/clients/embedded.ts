import { linkedTo } from "@scorel/kit/values/abort";
import type { Client, ConnectOptions, Operation, Operations, SessionChange, Subscription } from "../contract.ts";
import { errors } from "../errors.ts";
import { announce } from "../sessions/open-session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { statusOf } from "../sessions/status.ts";
import { SessionSubscription } from "../stream/subscription.ts";
import { Access } from "./access.ts";
import { type Caller, openFor, releaseSession } from "./caller.ts";
import { runOperation } from "./run-operation.ts";

/** A client in the host's own process. It has the same contract as a remote one, but needs no serialization. */
export class EmbeddedClient implements Client, Caller {
  readonly clientId: string;
  readonly name: string | undefined;
  readonly isHere: () => boolean;
  readonly isKeeper: boolean;
  readonly access: Access;
  readonly checksResults: boolean;
  readonly sessions: Sessions;
  readonly held = new Map<string, AbortController>();
  readonly followed = new Set<string>();
  readonly announced = new Set<string>();
  attending?: boolean | undefined;
  environment?: Caller["environment"];
  private readonly subscriptions = new Set<SessionSubscription>();
  private readonly watches = new Set<() => void>();
  private readonly closer = new AbortController();

  constructor(sessions: Sessions, options: ConnectOptions & { clientId: string }) {
    const { clientId, name, scope, isHere = () => true, isKeeper = false, checkResults = false } = options;
    this.sessions = sessions;
    this.checksResults = checkResults;
    this.clientId = clientId;
    this.name = name;
    this.isHere = isHere;
    this.isKeeper = isKeeper;
    this.access = new Access(scope, sessions);
  }

  /** An arrow function, because callers pass it on without the client. */
  readonly request = async <O extends Operation>(
    operation: O,
    params: Operations[O]["params"],
    signal?: AbortSignal,
  ): Promise<Operations[O]["result"]> => {
    this.mustBeOpen();
    const linked = signal && linkedTo(this.closing, signal);
    try {
      return await runOperation(operation, params, this, linked?.signal ?? this.closing);
    } finally {
      linked?.end();
      // If the client was closed meanwhile, release the sessions that this request opened.
      if (this.closing.aborted) await this.releaseAll();
    }
  };

  get closing(): AbortSignal {
    return this.closer.signal;
  }

  async subscribe(...[sessionId, listener, options]: Parameters<Client["subscribe"]>): Promise<Subscription> {
    this.mustBeOpen();
    if (this.access.limited) await this.access.assertOperation("subscribe", { readOnly: true }, { sessionId });
    const session = await openFor({ sessionId }, this);
    // If the client was closed meanwhile, nothing else would release the session.
    if (this.closing.aborted) await this.releaseAll();
    this.mustBeOpen();
    const subscription = new SessionSubscription(session, listener, options);
    this.subscriptions.add(subscription);
    announce(session, this);
    const { mode, more, start } = await subscription.begin();
    // Code that awaits `subscribe` continues before the first event is delivered.
    setImmediate(start);
    return Object.defineProperties(() => this.unsubscribe(subscription), {
      mode: { value: mode },
      more: { value: more },
      status: { value: statusOf(session) },
      anchor: { get: () => subscription.anchor },
      isReplay: { get: () => subscription.isReplay },
    }) as Subscription;
  }

  async watchSessions(...[listener, options]: Parameters<Client["watchSessions"]>): Promise<() => Promise<void>> {
    if (this.access.limited)
      await this.access.assertOperation("watch_sessions", { readOnly: true, confined: true }, {});
    this.mustBeOpen();
    const tell = async (change: SessionChange) => {
      if (await this.maySee(change)) await listener(change);
    };
    const end = this.sessions.feed.listen(this.access.confined ? tell : listener, options?.capacity);
    this.watches.add(end);
    return async () => {
      this.watches.delete(end);
      end();
    };
  }

  /** Waits only for this client's own listeners, so another subscriber that hangs does not block it. */
  async drained(sessionId: string): Promise<void> {
    const own = [...this.subscriptions].filter(({ session }) => session.id === sessionId);
    await Promise.all(own.map((subscription) => subscription.caughtUp()));
  }

  async close(): Promise<void> {
    this.closer.abort(errors.HOST_CLIENT_CLOSED({ clientId: this.clientId }));
    for (const end of this.watches) end();
    this.watches.clear();
    for (const subscription of [...this.subscriptions]) await this.unsubscribe(subscription);
    await this.releaseAll();
  }

  private async unsubscribe(subscription: SessionSubscription): Promise<void> {
    if (this.subscriptions.delete(subscription)) await subscription.end();
  }

  /** Whether a change is of a session that the client may use. */
  private async maySee(change: SessionChange): Promise<boolean> {
    return change.change === "missed" || (await this.access.visible([change.session])).length > 0;
  }

  /** Releases all sessions, even if one of them cannot be closed properly. Rejects with the first failure. */
  private async releaseAll(): Promise<void> {
    const released = await Promise.allSettled([...this.held.keys()].map((id) => releaseSession(id, this)));
    for (const result of released) if (result.status === "rejected") throw result.reason;
  }

  private mustBeOpen(): void {
    if (this.closing.aborted) throw errors.HOST_CLIENT_CLOSED({ clientId: this.clientId });
  }
}
