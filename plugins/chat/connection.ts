import type { Client, LinkState, Waiting } from "@scorel/host/contract";
import { lineOf } from "@scorel/kit/text/one-line";
import type { Screen } from "./screen.ts";

/** Milliseconds without a connection after which the user is told: a host that is replaced is back earlier. */
const TELL_MS = 1_500;

const ENDS_OF_WAITING = "connecting again by itself, what you type is sent then; Ctrl-C leaves";
const END_FOR_GOOD = "leave with Ctrl-C, and start scorel again";
const MOVED = {
  here: "(the terminal that ran this session was closed; the session continues in yours, and you need not do anything)",
  elsewhere:
    "(the process that ran this session is gone; the session continues in another one, and you need not do anything)",
};

/** The connection of a conversation to its host. Tells the user when it is lost, and when it is back. */
export class Connection {
  isLost = false;
  private readonly screen: Screen;
  private readonly stopListening: (() => void) | undefined;
  private telling: NodeJS.Timeout | undefined;
  /** Why the connection was lost, as shown to the user. */
  private why = "";
  private isTold = false;
  private readonly waiting = new Set<() => void>();

  constructor(client: Client, screen: Screen) {
    this.screen = screen;
    this.stopListening = client.onState?.((state) => {
      if (state.state === "live") this.back(state);
      else if (state.state === "waiting") this.lost(state, ENDS_OF_WAITING);
      else if (state.state === "closed" && state.error) this.lost({ reason: state.error.message }, END_FOR_GOOD);
    });
  }

  /**
   * Waits for work, but no longer than the host is connected, since nobody knows how long it stays away. With a signal, waits for a host
   * that is away until the signal aborts. Rejects if the work rejects.
   */
  async orLost(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
    let leave = () => {};
    const gone = new Promise<void>((resolve) => {
      leave = () => void ((signal?.aborted ?? true) && this.isLost && resolve());
    });
    this.waiting.add(leave);
    signal?.addEventListener("abort", leave);
    leave();
    // The work may reject later, when nothing waits for it.
    work.catch(() => {});
    try {
      await Promise.race([work, gone]);
    } finally {
      this.waiting.delete(leave);
      signal?.removeEventListener("abort", leave);
    }
  }

  end(): void {
    clearTimeout(this.telling);
    this.stopListening?.();
  }

  private lost(
    { reason, hostStopped = false, startedBy }: Pick<Waiting, "reason" | "hostStopped" | "startedBy">,
    end: string,
  ): void {
    this.isLost = true;
    for (const leave of this.waiting) leave();
    const how = startedBy === undefined ? "" : `; \`${startedBy}\` in another terminal starts one`;
    this.why = `(${hostStopped ? "the host was stopped" : `no connection to the host: ${lineOf(reason)}`}; ${end}${how})`;
    if (this.isTold) return;
    this.telling ??= setTimeout(() => {
      this.isTold = true;
      void this.screen.line(this.why);
    }, TELL_MS);
  }

  private back({ moved, sameHost }: Extract<LinkState, { state: "live" }>): void {
    this.isLost = false;
    clearTimeout(this.telling);
    this.telling = undefined;
    if (moved) void this.screen.line(MOVED[moved]);
    else if (this.isTold)
      void this.screen.line(sameHost ? "(the connection to the host is back)" : "(the host is back)");
    this.isTold = false;
  }
}
