import type { Client, SubscribeOptions, Subscription } from "@scorel/host/contract";

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

  /** `moves` says that the subscription will go on elsewhere when this client has ended. */
  async begin(client: Client, moves: boolean): Promise<void> {
    const [sessionId, listener] = this.given;
    this.current = await client.subscribe(sessionId, listener, this.options(moves));
  }

  /** Goes on after the last event that the listener got. */
  async move(client: Client, moves: boolean): Promise<void> {
    if (this.ended || !this.current) return;
    const [sessionId, listener, options] = this.given;
    this.current = await client.subscribe(sessionId, listener, {
      ...this.options(moves),
      anchor: this.current.anchor,
    });
    const { mode, more, status, anchor } = this.current;
    options?.resumed?.(mode, { more, status, anchor });
    if (this.ended) await this.current();
  }

  /** The session could not be opened again. */
  fail(error: Error): void {
    if (!this.ended) this.given[2]?.ended?.(error);
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
      isReplay: { get: () => this.current?.isReplay },
    }) as Subscription;
  }

  private options(moves: boolean): SubscribeOptions | undefined {
    const [, , options] = this.given;
    if (!moves) return options;
    const ended = ({ message }: Error) => {
      if (!this.ended) options?.interrupted?.({ state: "waiting", at: Date.now(), reason: message });
    };
    return { ...options, ended };
  }
}
