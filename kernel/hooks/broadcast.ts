import { Backlog } from "@scorel/kit/values/backlog";
import { SyncHook } from "tapable";
import type { Listener, Missed, SubscribeOptions } from "../hook.ts";
import type { AnyEvent, Dispose, StoredEvent } from "../types.ts";

interface SubscriberOptions extends SubscribeOptions {
  /** Id of the listening plugin. */
  name: string;
  listener: Listener;
  /** Reads the persistent events of a seq range again after an overflow. */
  reread(from: number, to: number): Iterable<StoredEvent>;
  onError(thrown: unknown, event: AnyEvent | Missed): void;
}

/**
 * Delivers events to subscribers. Each subscriber has its own queue and processes it in order, so that a slow or
 * failing subscriber affects neither the writer nor the other subscribers.
 */
export class Broadcast {
  /** The seq of the latest published event. */
  last = 0;
  private subscribers: Subscriber[] = [];
  private hook = new SyncHook<[AnyEvent]>(["event"]);

  get size(): number {
    return this.subscribers.length;
  }
  /** Whether every subscriber accepts consecutive deltas joined into one. */
  get joined(): boolean {
    return this.subscribers.every((subscriber) => subscriber.joined);
  }

  subscribe(options: SubscriberOptions): Dispose {
    const subscriber = new Subscriber(options);
    this.use([...this.subscribers, subscriber]);
    return () => {
      subscriber.close();
      this.use(this.subscribers.filter((other) => other !== subscriber));
    };
  }

  publish(event: AnyEvent): void {
    this.last = event.seq;
    this.hook.call(event);
  }

  /** The names of subscribers that have not processed everything published so far. */
  get lagging(): string[] {
    return this.subscribers.filter((subscriber) => subscriber.busy).map(({ name }) => name);
  }

  /** Resolves when every subscriber has processed everything published so far. */
  async drained(): Promise<void> {
    await Promise.all(this.subscribers.map((subscriber) => subscriber.idle()));
  }

  /** tapable cannot remove a tap, so each change of the list creates a new hook. */
  private use(subscribers: Subscriber[]): void {
    this.subscribers = subscribers;
    this.hook = new SyncHook(["event"]);
    for (const [index, subscriber] of subscribers.entries())
      this.hook.tap(`subscriber ${index}`, (event) => subscriber.push(event));
  }
}

/** Maximum time in milliseconds that the delivery of stored events may block the event loop. */
const LONGEST_MS = 10;

class Subscriber {
  private readonly options: SubscriberOptions;
  private readonly backlog: Backlog<AnyEvent>;
  /** After an overflow: the missed stored events, which are read again one at a time. */
  private again: Iterator<StoredEvent> | undefined;
  private lag: { from: number; to: number } | undefined;
  private running: Promise<void> | undefined;
  private closed = false;
  /** When this subscriber last yielded to the event loop, in milliseconds of `performance.now`. */
  private yieldedAt = 0;

  constructor(options: SubscriberOptions) {
    this.options = options;
    this.backlog = new Backlog(options);
    if (options.first) this.running = this.drain(options.first);
  }

  push(event: AnyEvent): void {
    if (this.closed) return;
    if (this.lag) this.lag.to = event.seq;
    else if (!this.backlog.add(event)) this.lag = { from: event.seq, to: event.seq };
    this.running ??= this.drain();
  }

  get name(): string {
    return this.options.name;
  }
  get joined(): boolean {
    return this.options.joined === true;
  }
  get busy(): boolean {
    return this.running !== undefined;
  }

  async idle(): Promise<void> {
    await this.running;
  }

  close(): void {
    this.closed = true;
    this.backlog.clear();
    this.again = undefined;
    this.lag = undefined;
  }

  private async drain(first?: AsyncIterable<Iterable<AnyEvent>>): Promise<void> {
    // Listeners run after the append that announced the event has returned, never inside it.
    await null;
    this.yieldedAt = performance.now();
    if (first) await this.deliverFirst(first);
    for (let event = this.next(); event !== undefined; event = this.next()) {
      const waiting = this.deliver(event);
      if (waiting) await waiting;
      const yielding = this.again && this.yieldIfLong();
      if (yielding) await yielding;
    }
    this.running = undefined;
  }

  private async deliverFirst(first: AsyncIterable<Iterable<AnyEvent>>): Promise<void> {
    try {
      for await (const events of first) {
        this.yieldedAt = performance.now();
        for (const event of events) {
          if (this.closed) return;
          const waiting = this.deliver(event);
          if (waiting) await waiting;
          const yielding = this.yieldIfLong();
          if (yielding) await yielding;
        }
      }
    } catch (thrown) {
      this.options.onError(thrown, { type: "missed", from: 0, to: 0 });
    }
  }

  /**
   * Yields to the event loop every LONGEST_MS while stored events are delivered. Otherwise a listener that never waits would block timers
   * and sockets until it has received a whole log.
   */
  private yieldIfLong(): Promise<void> | undefined {
    if (performance.now() - this.yieldedAt < LONGEST_MS) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        this.yieldedAt = performance.now();
        resolve();
      }),
    );
  }

  /** Calls the listener. Returns a promise only if the listener does, and never one that rejects. */
  private deliver(event: AnyEvent | Missed): Promise<void> | undefined {
    const failed = (thrown: unknown) => this.options.onError(thrown, event);
    try {
      const waiting = this.options.listener(event);
      return waiting ? Promise.resolve(waiting).catch(failed) : undefined;
    } catch (thrown) {
      failed(thrown);
      return undefined;
    }
  }

  private next(): AnyEvent | Missed | undefined {
    const again = this.again?.next();
    if (again && !again.done) return again.value;
    this.again = undefined;
    const event = this.backlog.shift();
    if (event || !this.lag) return event;
    const { from, to } = this.lag;
    this.lag = undefined;
    this.again = this.options.reread(from, to)[Symbol.iterator]();
    return { type: "missed", from, to };
  }
}
