import type { UserMessage } from "@scorel/messages/contract";

/** Hands messages over in the order in which they were sent, although some take time to prepare, such as those that mention files. */
export class SendingOrder {
  /** Settles when all messages so far were handed over; undefined if none waits. Never rejects. */
  private before: Promise<void> | undefined;

  /** Calls `handOver` with the prepared message, at once if there is nothing to wait for. */
  pass<R>(prepared: UserMessage | Promise<UserMessage>, handOver: (message: UserMessage) => Promise<R>): Promise<R> {
    const { before } = this;
    if (before === undefined && !(prepared instanceof Promise)) return handOver(prepared);
    const handing = Promise.resolve(prepared)
      .finally(() => before)
      .then((message) => ({ result: handOver(message) }));
    const handed: Promise<void> = handing.then(
      () => this.leave(handed),
      () => this.leave(handed),
    );
    this.before = handed;
    return handing.then(({ result }) => result);
  }

  private leave(handed: Promise<void>): void {
    if (this.before === handed) this.before = undefined;
  }
}
