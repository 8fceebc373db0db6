import type { Client, Subscription } from "@scorel/host/contract";

/** A subscription that goes on at another client when the one that it began at has ended. */
export class MovingSubscription {
  private readonly given: Parameters<Client["subscribe"]>;
  private current: Subscription | undefined;
  private ended = false;

  constructor(given: Parameters<Client["subscribe"]>) {
    this.given = given;
  }

  get sessionId(): string {
    return this.given[0];
  }

  async begin(client: Client): Promise<void> {
    this.current = await client.subscribe(...this.given);
  }

  /** Goes on after the last event that the listener got. */
  async move(client: Client): Promise<void> {
    if (this.ended || !this.current) return;
    const [sessionId, listener, options] = this.given;
    this.current = await client.subscribe(sessionId, listener, { ...options, anchor: this.current.anchor });
    const { mode, more, status, anchor } = this.current;
    options?.resumed?.(mode, { more, status, anchor });
    if (this.ended) await this.current();
  }

  /** What `subscribe` resolves with. */
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
    }) as Subscription;
  }
}
