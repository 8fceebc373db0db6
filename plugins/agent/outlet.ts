import type { AssistantMessage, AssistantMessageEvent } from "@mariozechner/pi-ai";

/** An event of a guarded stream; on those of a tool call, the id the call will have. */
export type GuardedEvent = AssistantMessageEvent & { callId?: string };
export type Ending = Extract<AssistantMessageEvent, { type: "done" | "error" }>;

/**
 * The stream that the loop reads: events in order, up to one ending. Unlike pi's own, an ending can overtake
 * all that still waits, so that an abort counts also when the whole reply has arrived already.
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

  /** `onEnd`: the ending was read, and nothing can overtake it any more. */
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

  /** Puts this ending in the place of all that was not read yet; too late once an ending was. */
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

  /** The message of the ending that was read. */
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
