import type { Client, SubscribeOptions, Subscription } from "@scorel/host/contract";
import { clause } from "@scorel/kit/text/one-line";

/** A subscription that continues with another client when its client has ended or has lost the session. */
export class MovingSubscription {
  private readonly given: Parameters<Client["subscribe"]>;
  private readonly willContinue: (client: Client, error: Error) => boolean;
  private current: Subscription | undefined;
  private ended = false;

  /** `willContinue` is called with the reason when the subscription has ended at a client, and returns whether it will be moved. */
  constructor(given: Parameters<Client["subscribe"]>, willContinue: (client: Client, error: Error) => boolean) {
    this.given = given;
    this.willContinue = willContinue;
  }

  get sessionId(): string {
    return this.given[0];
  }

  async begin(client: Client): Promise<void> {
    const [sessionId, listener] = this.given;
    this.current = await client.subscribe(sessionId, listener, this.optionsAt(client));
  }

  /** Continues with another client, after the last event that the listener got. */
  async move(client: Client): Promise<void> {
    const former = this.current;
    if (this.ended || !former) return;
    const [sessionId, listener, options] = this.given;
    // Ends the former subscription, so that no events come from it even if its host is back.
    await former();
    this.current = await client.subscribe(sessionId, listener, { ...this.optionsAt(client), anchor: former.anchor });
    const { mode, more, status, anchor } = this.current;
    options?.resumed?.(mode, { more, status, anchor });
    if (this.ended) await this.current();
  }

  /** Ends the subscription with an error: the session could not be opened again. */
  fail(error: Error): void {
    if (!this.ended) this.given[2]?.ended?.(error);
  }

  /** The handle that `subscribe` resolves with. */
  handle(forget: () => void): Subscription {
    const begun = this.current as Subscription;
    const end = async () => {
      this.ended = true;
      forget();
      await this.current?.();
    };
    return Object.defineProperties(end, {
      mode: { value: begun.mode },
      more: { value: begun.more },
      status: { value: begun.status },
      anchor: { get: () => this.current?.anchor },
      isReplay: { get: () => this.current?.isReplay },
    }) as Subscription;
  }

  private optionsAt(client: Client): SubscribeOptions {
    const [, , options] = this.given;
    const ended = (error: Error) => {
      if (this.ended) return;
      const at = Date.now();
      if (this.willContinue(client, error))
        options?.interrupted?.({ state: "waiting", at, reason: clause(error.message) });
      else this.fail(error);
    };
    return { ...options, ended };
  }
}
