import type { AnyEvent, Missed } from "@scorel/kernel";
import type { Anchor, Delivered, SubscribeOptions } from "../contract.ts";
import type { OpenSession } from "../sessions/open-session.ts";
import { deliver } from "./delivered.ts";
import type { Replay } from "./session-stream.ts";

type Listener = (delivered: Delivered) => void | Promise<void>;

/** The subscription of one listener to a session. It survives reloads of the session. */
export class SessionSubscription {
  session: OpenSession;
  private readonly listener: Listener;
  private readonly options: SubscribeOptions;
  private undo: () => unknown = () => {};
  private position: Anchor | undefined;
  /** Whether the event being delivered happened before the subscription began. Events delayed by a reload count as live. */
  isReplay = false;
  /** Whether the delivered events are consecutive events of the stream, so that the position in it is known. */
  private resuming = false;
  /** The seq of the last event that the replay covers. Live events up to it are skipped. */
  private until = -1;
  /** The latest pending call of the listener. */
  private call: Promise<void> | undefined;
  /** seq of the last event that the listener has processed. */
  private heard = -1;
  private waiting: { seq: number; done: () => void }[] = [];

  constructor(session: OpenSession, listener: Listener, options: SubscribeOptions = {}) {
    this.session = session;
    this.listener = listener;
    this.options = options;
  }

  /** Subscribes. Returns what the listener will receive first, and the function `start` that starts the delivery. */
  async begin(): Promise<Replay & { start(): void }> {
    const { anchor, tail } = this.options;
    const { replay, start } = this.join(this.session, anchor, tail, true);
    const begun = await replay;
    this.position ??= { ...begun.anchor };
    return { ...begun, start };
  }

  /** Continues with the session that replaces the current one after a reload. */
  readonly follow = (session: OpenSession): void => {
    const { position, options } = this;
    this.join(session, position ?? options.anchor, position ? 0 : options.tail).start();
  };

  /** Position after the last delivered event. */
  get anchor(): Anchor {
    return { ...(this.position as Anchor) };
  }

  /** Resolves when the listener has processed the current seq. Every seq is announced eventually. */
  caughtUp(): Promise<void> {
    const { kernel } = this.session;
    const { seq } = kernel.session;
    if (this.heard >= seq) return Promise.resolve();
    const reached = new Promise<void>((done) => this.waiting.push({ seq, done }));
    return Promise.race([reached, kernel.drained()]);
  }

  async end(): Promise<void> {
    this.session.followers.delete(this.follow);
    await this.undo();
    this.release(Number.POSITIVE_INFINITY);
  }

  /** Subscribes to live events immediately. They are delivered after those of the replay, whose delivery begins with `start`. */
  private join(
    session: OpenSession,
    from?: Anchor,
    tail?: number,
    isFirst = false,
  ): { replay: Promise<Replay>; start(): void } {
    void this.undo();
    // The old session sends nothing more, so callers that wait for its events must not wait any longer.
    this.release(Number.POSITIVE_INFINITY);
    const busy = this.call?.catch(() => {});
    let start = () => {};
    const started = new Promise<void>((done) => {
      start = done;
    });
    Object.assign(this, { session, heard: -1, until: -1 });
    session.followers.add(this.follow);
    const { capacity, maxBytes, maxAgeMs, joined } = this.options;
    const replay = session.stream.replay(from, tail);
    this.undo = session.kernel.subscribe((event) => this.hear(event), {
      ...(capacity !== undefined && { capacity }),
      ...(maxBytes !== undefined && { maxBytes }),
      ...(maxAgeMs !== undefined && { maxAgeMs }),
      ...(joined !== undefined && { joined }),
      first: this.first(replay, Promise.all([started, busy]), isFirst),
    });
    return { replay, start };
  }

  private async *first(
    replaying: Promise<Replay>,
    started: Promise<unknown>,
    isFirst: boolean,
  ): AsyncGenerator<Iterable<AnyEvent>> {
    const { mode, anchor, events, until } = await replaying;
    await started;
    this.position = { ...anchor };
    this.resuming = mode === "stream_resume";
    this.isReplay = isFirst;
    yield events;
    this.isReplay = false;
    this.resuming = true;
    this.until = until;
    this.position.streamSeq = until;
    this.advance(until);
  }

  private hear(event: AnyEvent | Missed): void | Promise<void> {
    if (event.type !== "missed" && !this.move(event as AnyEvent)) return;
    const done = () => this.advance("seq" in event ? event.seq : -1);
    let called: void | Promise<void>;
    try {
      called = this.listener(deliver(this.session.kernel.session, event));
    } catch (thrown) {
      done();
      throw thrown;
    }
    if (!called) return done();
    this.call = Promise.resolve(called).finally(done);
    return this.call;
  }

  /** Moves the position to an event. Returns false if the replay already covers the event. */
  private move(event: AnyEvent): boolean {
    if (event.seq <= this.until) return false;
    const position = this.position as Anchor;
    if (this.resuming) position.streamSeq = event.seq;
    if (!("id" in event) || event.seq < position.persistentSeq) return true;
    position.persistentSeq = event.seq;
    position.persistentId = event.id;
    return true;
  }

  private advance(seq: number): void {
    this.heard = Math.max(this.heard, seq);
    this.release(this.heard);
  }

  private release(seq: number): void {
    const reached = this.waiting.filter((wait) => wait.seq <= seq);
    this.waiting = this.waiting.filter((wait) => wait.seq > seq);
    for (const { done } of reached) done();
  }
}
