import type { AssistantMessage, AssistantMessageEvent } from "@mariozechner/pi-ai";

/** An event of a guarded stream. Events of a tool call carry its final id. */
export type GuardedEvent = AssistantMessageEvent & { callId?: string };
export type Ending = Extract<AssistantMessageEvent, { type: "done" | "error" }>;

/**
 * The stream that the loop reads: events in order, then one ending. Unlike pi's own stream, an ending can replace all
 * unread events, so that an abort counts even when the whole reply has arrived.
 */
export class Outlet implements AsyncIterableIterator<GuardedEvent> {
  private waiting: GuardedEvent[] = [];
  private head = 0;
  private taker: ((taken: IteratorResult<GuardedEvent>) => void) | undefined;
  private ended = false;
  private readonly onEnd: () => void;
  private settle: (message: AssistantMessage) => void = () => {};
  private readonly final = new Promise<AssistantMessage>((resolve) => {
    this.settle = resolve;
  });

  /** `onEnd` is called when the ending has been read, after which nothing can replace it. */
  constructor(onEnd: () => void) {
    this.onEnd = onEnd;
  }

  push(event: GuardedEvent): void {
    if (this.ended) return;
    if (!this.taker) {
      this.waiting.push(event);
      return;
    }
    const { taker } = this;
    this.taker = undefined;
    taker(this.taken(event));
  }

  /** Replaces all unread events by this ending. Has no effect once an ending was read. */
  overtake(ending: Ending): void {
    this.clear();
    this.push(ending);
  }

  next(): Promise<IteratorResult<GuardedEvent>> {
    const event = this.waiting[this.head];
    if (event !== undefined) {
      if (++this.head === this.waiting.length) this.clear();
      return Promise.resolve(this.taken(event));
    }
    if (this.ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.taker = resolve;
    });
  }

  /** Resolves with the message of the ending once it has been read. */
  result(): Promise<AssistantMessage> {
    return this.final;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private clear(): void {
    this.waiting = [];
    this.head = 0;
  }

  private taken(event: GuardedEvent): IteratorResult<GuardedEvent> {
    if (event.type === "done" || event.type === "error") {
      this.ended = true;
      this.settle(event.type === "done" ? event.message : event.error);
      this.onEnd();
    }
    return { value: event, done: false };
  }
}
