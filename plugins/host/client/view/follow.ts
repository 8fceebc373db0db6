import type { Anchor, Client, Delivered, ResumeMode, Subscription } from "../../contract.ts";
import { everyPage } from "../every-page.ts";
import { type CachedSession, type CacheOptions, SessionCache } from "./cache.ts";
import { SessionProjection, type ViewChange } from "./projection.ts";

/** Number of earlier events to fetch with one request. */
const PAGE = 1_000;

/** Options of `followSession`. */
export interface FollowOptions {
  /** Number of stored events to begin with; Infinity for all. Default: 200. `earlier` fetches the events before them. */
  tail?: number | undefined;
  /**
   * Number of events that may wait at the host. Beyond that, transient events are dropped and the view subscribes again. Default: 10,000.
   */
  capacity?: number | undefined;
  /** Minimum time between two such subscriptions, in milliseconds. Default: 1,000. */
  catchUpEvery?: number | undefined;
  /** A cache. The view shows what an earlier view stored there until the host has answered. */
  cache?: CacheOptions | undefined;
  /** Milliseconds after a change until the cache is written. Default: 2,000. */
  cacheAfter?: number | undefined;
  /** Called with errors of listeners. Default: they are rethrown as uncaught errors. */
  listenerFailed?: ((thrown: unknown) => void) | undefined;
}

/** The current state of a session. It updates itself, also after the connection to the host was lost. */
export interface SessionView
  extends Pick<
    SessionProjection,
    "events" | "rows" | "live" | "queue" | "queueSeq" | "requests" | "more" | "status" | "isBehind"
  > {
  readonly sessionId: string;
  /** The position after the last received event. */
  readonly anchor: Anchor;
  /** Calls `listener` after each change. Returns a function that removes the listener. */
  subscribe(listener: (change: ViewChange) => void): () => void;
  /** Fetches up to `count` stored events before the first one. Resolves with whether there are more. */
  earlier(count: number): Promise<boolean>;
  /** Ends the view. The session stays open. */
  close(): Promise<void>;
}

function idOfFirst([first]: readonly Delivered[]): string | undefined {
  return (first?.event as { id: string } | undefined)?.id;
}

/** Follows a session. Resolves when the view shows its current or its cached state. */
export async function followSession(
  client: Client,
  sessionId: string,
  options: FollowOptions = {},
): Promise<SessionView> {
  const follower = new Follower(client, sessionId, options);
  await follower.begin();
  return follower;
}

/** A session view and its subscription. */
class Follower implements SessionView {
  readonly sessionId: string;
  private readonly client: Client;
  private readonly options: FollowOptions;
  private readonly listeners = new Set<(change: ViewChange) => void>();
  private projection!: SessionProjection;
  private subscription: Subscription | undefined;
  private undoState: (() => void) | undefined;
  private isClosed = false;
  private catchingUp: ReturnType<typeof setTimeout> | undefined;
  private caughtUpAt = Number.NEGATIVE_INFINITY;
  private position!: Anchor;
  private readonly cache: SessionCache | undefined;
  /** Resolves when the queue was received, or the request for it has failed. */
  private queueTaken: Promise<void> = Promise.resolve();

  constructor(client: Client, sessionId: string, options: FollowOptions) {
    this.client = client;
    this.sessionId = sessionId;
    this.options = options;
    this.cache = options.cache && new SessionCache(options.cache, sessionId);
  }

  async begin(): Promise<void> {
    const cached = await this.cache?.read();
    if (!cached) return this.connect();
    this.projection = new SessionProjection(cached.status, (change) => this.tell(change));
    this.projection.restore(cached);
    // Without a stream position, because the work that is in flight now is not in the cache.
    this.position = { ...cached.anchor, streamSeq: -1 };
    this.connect(this.position).catch((thrown) => this.ended(thrown as Error));
  }

  private async connect(anchor?: Anchor): Promise<void> {
    await this.join(anchor);
    // A view that is shown from its cache may be closed before the host answers.
    if (this.isClosed) return;
    this.undoState = this.client.onState?.(({ state, ...rest }) => {
      if (state === "closed") this.ended((rest as { error?: Error }).error);
    });
    await this.client.drained(this.sessionId);
    await this.queueTaken;
    if (!this.isClosed) await this.cache?.write(this.cached());
  }

  get events() {
    return this.projection.events;
  }
  get rows() {
    return this.projection.rows;
  }
  get live() {
    return this.projection.live;
  }
  get queue() {
    return this.projection.queue;
  }
  get queueSeq() {
    return this.projection.queueSeq;
  }
  get requests() {
    return this.projection.requests;
  }
  get more() {
    return this.projection.more;
  }
  get status() {
    return this.projection.status;
  }
  get isBehind() {
    return this.projection.isBehind;
  }
  get anchor() {
    return this.subscription?.anchor ?? this.position;
  }

  subscribe(listener: (change: ViewChange) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  private async join(anchor?: Anchor): Promise<void> {
    const { client, sessionId } = this;
    let current: Subscription | undefined;
    const isCurrent = () => current === this.subscription && !this.isClosed;
    current = await client.subscribe(
      sessionId,
      (delivered) => void (isCurrent() && this.take(delivered, (current as Subscription).anchor.activation)),
      {
        joined: true,
        tail: this.options.tail ?? 200,
        ...(this.options.capacity !== undefined && { capacity: this.options.capacity }),
        ...(anchor && { anchor }),
        interrupted: ({ state: _state, ...retry }) =>
          void (isCurrent() && this.projection.connect({ connection: "reconnecting", retry })),
        resumed: (mode, begun) => void (isCurrent() && this.resume(mode, begun)),
        ended: (error) => void (isCurrent() && this.ended(error)),
      },
    );
    if (this.isClosed) return current();
    this.subscription = current;
    const { mode, more, status, anchor: start } = current;
    this.projection ??= new SessionProjection(status, (change) => this.tell(change));
    this.resume(mode, { more, status, anchor: start });
  }

  private resume(mode: ResumeMode, begun: Pick<Subscription, "more" | "status" | "anchor">): void {
    this.projection.begin({ mode, ...begun });
    // Fails for older hosts, and for clients without the right to it. The view then keeps the status from its subscription.
    this.client.request("follow_status", { sessionId: this.sessionId }).then(
      (glance) => void (this.isClosed || this.projection.takeGlance(glance)),
      () => {},
    );
    // The events that define the queue may be older than those of the view.
    if (mode === "full_reload" && begun.more)
      this.queueTaken = everyPage((page) =>
        this.client.request("get_queue", { sessionId: this.sessionId, ...page }),
      ).then(
        (queue) => void (this.isClosed || this.projection.takeQueue(queue)),
        () => {},
      );
  }

  private take(delivered: Delivered, activation: string): void {
    this.projection.take(delivered, activation);
    if ("id" in delivered.event) this.cache?.writeLater(this.cached, this.options.cacheAfter);
    if (this.projection.isBehind) this.catchUp();
  }

  /** Subscribes again after transient events were missed. The host then sends a condensed form of what is in flight. */
  private catchUp(): void {
    if (this.catchingUp !== undefined) return;
    const wait = Math.max(0, this.caughtUpAt + (this.options.catchUpEvery ?? 1_000) - performance.now());
    this.catchingUp = setTimeout(async () => {
      try {
        const { subscription } = this;
        this.position = this.anchor;
        this.subscription = undefined;
        await subscription?.();
        if (this.isClosed) return;
        await this.join({ ...this.position, streamSeq: -1 });
        this.caughtUpAt = performance.now();
      } catch (thrown) {
        this.ended(thrown as Error);
      } finally {
        this.catchingUp = undefined;
        if (!this.isClosed && this.projection.isBehind) this.catchUp();
      }
    }, wait);
  }

  async earlier(count: number): Promise<boolean> {
    const { projection, client, sessionId } = this;
    const first = idOfFirst(projection.events);
    const pages: Delivered[][] = [];
    let { more } = projection;
    // All pages are added in one step, because each addition rebuilds the view.
    for (let [left, before] = [count, first]; left > 0 && more; ) {
      const tail = Math.min(left, PAGE);
      const page = await client.request("get_events", { sessionId, tail, ...(before !== undefined && { before }) });
      pages.unshift(page.events);
      left -= Math.max(1, page.events.length);
      before = idOfFirst(page.events) ?? before;
      ({ more } = page);
    }
    // Ignored if the view was reset in the meantime.
    if (pages.length > 0 && idOfFirst(projection.events) === first) projection.takeOlder(pages.flat(), more);
    return projection.more;
  }

  private ended(error: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.undoState?.();
    clearTimeout(this.catchingUp);
    this.cache?.stop();
    if ((error as { code?: string } | undefined)?.code === "SESSION_UNKNOWN") void this.cache?.remove();
    this.projection.connect({ connection: "closed", ...(error && { error }) });
  }

  async close(): Promise<void> {
    const { subscription } = this;
    if (!this.isClosed && subscription) await this.cache?.write(this.cached());
    this.ended(undefined);
    await subscription?.();
  }

  private readonly cached = (): CachedSession => {
    const { events, more, status, facts } = this.projection;
    const last = events.at(-1)?.event as { seq: number; id: string } | undefined;
    const position = { persistentSeq: last?.seq ?? 0, persistentId: last?.id ?? null, streamSeq: -1 };
    return { status: status.host, events: [...events], more, anchor: { ...this.anchor, ...position }, facts };
  };

  private tell(change: ViewChange): void {
    for (const listener of this.listeners) {
      try {
        listener(change);
      } catch (thrown) {
        (this.options.listenerFailed ?? throwLater)(thrown);
      }
    }
  }
}

function throwLater(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
