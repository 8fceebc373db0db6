import { SessionProjection } from "@scorel/host/client";
import type { Client, Delivered, ResumeMode, SessionStatus, Subscription } from "@scorel/host/contract";

/** The number of stored events that are read to show the end of a conversation. */
const TAIL = 200;

export interface FollowingOptions {
  /** Whether the end of the conversation is shown first. Otherwise only events from now on are shown. */
  past: boolean;
  /** Called for each event, including those that `now` shows. */
  took(delivered: Delivered): void;
  /** Shows the present state of the session: at the beginning, and when the host could not resume the subscription. */
  now(view: SessionProjection): Promise<void>;
  /** Called for each event after that, one at a time. */
  hear(delivered: Delivered): Promise<void>;
  /** Called when the subscription continues after the connection was lost, with the session's status. */
  resumed(mode: ResumeMode, status: SessionStatus): void;
}

/** Follows a session: shows its present state, and then each event. Returns a function that stops this. */
export async function follow(
  client: Client,
  status: SessionStatus,
  options: FollowingOptions,
): Promise<() => Promise<void>> {
  const following = new Following(client, status.sessionId, options);
  await following.begin(status);
  return following.end;
}

class Following {
  private readonly client: Client;
  private readonly sessionId: string;
  private readonly options: FollowingOptions;
  /** The state of the session, from the events that were received but not shown yet. */
  private view: SessionProjection | undefined;
  /** Received events that do not change the view. */
  private passing: Delivered[] = [];
  private subscription: Subscription | undefined;
  private showing: Promise<void> | undefined;

  constructor(client: Client, sessionId: string, options: FollowingOptions) {
    this.client = client;
    this.sessionId = sessionId;
    this.options = options;
  }

  async begin(status: SessionStatus): Promise<void> {
    const { past } = this.options;
    if (past) this.collect(status);
    this.subscription = await this.client.subscribe(this.sessionId, (delivered) => this.take(delivered), {
      joined: true,
      tail: past ? TAIL : 0,
      resumed: (mode, begun) => {
        this.options.resumed(mode, begun.status);
        if (past && mode === "full_reload" && !this.view) this.showAgain(begun.status);
        this.view?.begin({ mode, ...begun });
      },
    });
    const { mode, more, status: now, anchor } = this.subscription;
    this.view?.begin({ mode, more, status: now, anchor });
    if (past) await this.show();
  }

  readonly end = async (): Promise<void> => {
    await this.subscription?.();
  };

  private collect(status: SessionStatus): void {
    this.passing = [];
    this.view = new SessionProjection(status, (change) => {
      if (change.kind === "passing") this.passing.push(change.delivered);
    });
  }

  /** Shows the whole session again, because the host cannot send the missed events. */
  private showAgain(status: SessionStatus): void {
    this.collect(status);
    // It fails only when the client was closed, so that nothing has to be shown.
    this.show().catch(() => {});
  }

  private async take(delivered: Delivered): Promise<void> {
    this.options.took(delivered);
    if (this.view) return this.view.take(delivered);
    if (this.showing) await this.showing;
    await this.options.hear(delivered);
  }

  /** Shows the session once all events until now were received. */
  private async show(): Promise<void> {
    await this.client.drained(this.sessionId);
    const { view, passing } = this;
    this.view = undefined;
    if (!view) return;
    const { now, hear } = this.options;
    const all = async () => {
      await now(view);
      for (const delivered of passing) await hear(delivered);
    };
    this.showing = all();
    await this.showing;
    this.showing = undefined;
  }
}
