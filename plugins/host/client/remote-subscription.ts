import { caught } from "@scorel/kit/values/caught";
import type { Anchor, Client, Delivered, ResumeMode, SubscribeOptions, Subscription, Waiting } from "../contract.ts";
import type { HostMessage, Subscribed, WireSubscribeOptions } from "./wire.ts";

type Listener = Parameters<Client["subscribe"]>[1];
type EventsMessage = Extract<HostMessage, { type: "events" }>;

/** Maximum number of waiting events that a host accepts for one subscription. */
const MAX_CAPACITY = 100_000;

/** A subscription at a host in another process. It survives reconnections. */
export class RemoteSubscription {
  readonly number: number;
  readonly sessionId: string;
  private readonly listener: Listener;
  private readonly options: SubscribeOptions;
  private readonly failed: (thrown: unknown) => void;
  /** Queue for the listener: received events, lost connections (`lost`) and resumptions (`begun`), in order. */
  private queue: ({ message: EventsMessage; done: () => void } | { begun: Subscribed } | { lost: Waiting })[] = [];
  private working: Promise<void> | undefined;
  private isWorking = false;
  private ended = false;
  private interruption: { over: Promise<void>; end(): void } | undefined;
  /** Position after the last received event, and (`heard`) after the last one passed to the listener. */
  private received: Anchor | undefined;
  private heard: Anchor | undefined;
  /**
   * Whether live events were received since the subscription began or was resumed. `isReplay` is about the events passed to the listener.
   */
  private isLive = false;
  private isReplay = false;
  /** Whether the caller has received the subscription. Until then the listener is not called, even if events have arrived. */
  private isOpen = false;
  private readonly opened: Promise<void>;
  private open = () => {};

  constructor(
    number: number,
    sessionId: string,
    listener: Listener,
    options: SubscribeOptions,
    failed: (thrown: unknown) => void,
  ) {
    this.number = number;
    this.sessionId = sessionId;
    this.listener = listener;
    this.options = options;
    this.failed = failed;
    this.opened = new Promise((resolve) => {
      this.open = () => {
        this.isOpen = true;
        resolve();
      };
    });
  }

  /** The options for subscribing now, the first time or after a reconnection. */
  get wanted(): WireSubscribeOptions {
    const { anchor, tail, capacity, joined } = this.options;
    const at = this.received ?? anchor;
    return {
      ...(joined !== undefined && { joined }),
      ...(capacity !== undefined && { capacity: Math.min(capacity, MAX_CAPACITY) }),
      ...(at && { anchor: at }),
      ...(tail !== undefined && { tail: Number.isFinite(tail) ? tail : "all" }),
    };
  }

  /** Takes the host's answer to `subscribe`, the first or a later one. */
  begin(begun: Subscribed): void {
    const { anchor } = begun;
    const isLater = this.received !== undefined;
    this.interruption?.end();
    this.interruption = undefined;
    this.isLive = false;
    this.received = anchor;
    this.heard ??= anchor;
    if (!isLater) return;
    this.queue.push({ begun });
    this.wake();
  }

  /** Tells that the connection was lost. Until the subscription is resumed, events may be missing. */
  interrupt(lost: Waiting): void {
    // Before the first answer, the caller of `subscribe` is still waiting and need not be told.
    if (this.received) {
      this.queue = this.queue.filter((next) => !("lost" in next));
      this.queue.push({ lost });
      this.wake();
    }
    if (this.interruption) return;
    let end = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.interruption = { over, end };
  }

  /** Resolves when the subscription is not interrupted: from then on, the host sends it all events. */
  async whole(): Promise<void> {
    await this.interruption?.over;
  }

  /**
   * Queues events for the listener, which receives them one by one. `done` is called when it has processed them, or when the subscription
   * has ended. Returns false for a replay after live events, which no working host sends.
   */
  take(message: EventsMessage, done: () => void): boolean {
    if (this.ended) {
      done();
      return true;
    }
    if (message.replay && this.isLive) return false;
    this.isLive = message.replay !== true;
    this.received = message.anchor;
    this.queue.push({ message, done });
    this.wake();
    return true;
  }

  private wake(): void {
    if (!this.isWorking) this.working = this.work();
  }

  /** Resolves when the listener has processed everything that was received. */
  async caughtUp(): Promise<void> {
    while (this.isWorking) await this.working;
  }

  /** Ends the subscription because the session cannot be followed any longer. Returns whether the option `ended` handles the error. */
  fail(error: Error): boolean {
    this.end();
    const { ended } = this.options;
    if (ended) this.guarded(() => ended(error));
    return ended !== undefined;
  }

  end(): void {
    this.ended = true;
    this.open();
    this.interruption?.end();
    for (const next of this.queue.splice(0)) if ("message" in next) next.done();
  }

  /** Creates the value that `subscribe` resolves with. `unsubscribe` ends the subscription at the host. */
  handle({ mode, more, status }: Subscribed, unsubscribe: () => Promise<void>): Subscription {
    // Code that awaits `subscribe` continues before the first event is delivered.
    setTimeout(this.open, 0);
    return Object.defineProperties(() => unsubscribe(), {
      mode: { value: mode satisfies ResumeMode },
      more: { value: more },
      status: { value: status },
      anchor: { get: () => ({ ...(this.heard as Anchor) }) },
      isReplay: { get: () => this.isReplay },
    }) as Subscription;
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    if (!this.isOpen) await this.opened;
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if ("lost" in next) {
        this.guarded(() => this.options.interrupted?.(next.lost));
        continue;
      }
      if ("begun" in next) {
        const { mode, ...begun } = next.begun;
        this.heard = begun.anchor;
        this.guarded(() => this.options.resumed?.(mode, begun));
        continue;
      }
      const { events, anchor, replay = false } = next.message;
      this.isReplay = replay;
      for (const delivered of events) {
        if (this.ended) break;
        this.heard = positionAfter(this.heard as Anchor, delivered, anchor);
        // Waits for an async listener. A synchronous one needs no turn of the event loop.
        const called = this.guarded(() => this.listener(delivered));
        if (called) await called;
      }
      if (!this.ended) this.heard = anchor;
      next.done();
    }
    this.isWorking = false;
  }

  /** Calls a listener and reports its failure. It receives the next event anyway, as in the host's own process. */
  private guarded(call: () => void | Promise<void>): void | Promise<void> {
    return caught(call, this.failed);
  }
}

/** The position after one event of a message; `end` is the position after the whole message. */
function positionAfter(before: Anchor, { event }: Delivered, end: Anchor): Anchor {
  if (event.type === "missed") return before;
  const streamSeq = end.streamSeq < 0 ? -1 : (event as { seq: number }).seq;
  const position = { ...before, epoch: end.epoch, activation: end.activation, streamSeq };
  if (!("id" in event) || event.seq < before.persistentSeq) return position;
  return { ...position, persistentSeq: event.seq, persistentId: event.id };
}
