import type { TurnOutcome } from "@scorel/agent/contract";
import { clientName } from "@scorel/host/client";
import type { Client, Delivered, LinkState } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { errors } from "./errors.ts";
import type { Limits } from "./limits.ts";

/** How a turn can be interrupted from outside: another client cancels it, or the host is gone. */
export interface Cuts {
  hear(delivered: Delivered): void;
  /** The error for a turn that others have cancelled; undefined for every other outcome. */
  reasonOf(outcome: TurnOutcome): { code: string; message: string } | undefined;
  /** Rejects when the command no longer waits for the host: see `watchCuts`. */
  readonly leaving: Promise<never>;
  end(): void;
}

/** What ends a run from this side: an interrupt, or a limit that was reached. */
interface Ends {
  interrupt: AbortSignal;
  limits: Pick<Limits, "signal" | "reached">;
}

interface Times {
  /** Milliseconds for the host to end a turn that was interrupted or has reached a limit. */
  endMs: number;
  /** Milliseconds for a host that is gone to come back. */
  awayMs: number;
}

/**
 * Watches whether others cut the turn off. `say` prints that the connection is lost, and that it is back.
 *
 * The host cancels a turn that was interrupted or has reached a limit, and its end is waited for. The command leaves without it when the
 * host is away, or has not answered within `endMs`. A host that stays away for `awayMs` is not waited for either.
 */
export function watchCuts(
  client: Client,
  ends: Ends,
  say: (text: string) => void,
  times: Times = { endMs: 10_000, awayMs: 600_000 },
): Cuts {
  return new CutWatch(client, ends, say, times);
}

class CutWatch implements Cuts {
  readonly leaving: Promise<never>;
  private readonly ends: Ends;
  private readonly say: (text: string) => void;
  private readonly times: Times;
  private readonly over = new AbortController();
  private readonly stopWatching: (() => void) | undefined;
  private reject: (error: Error) => void = () => {};
  private ending: NodeJS.Timeout | undefined;
  private away: NodeJS.Timeout | undefined;
  private isLost = false;
  private cancelledBy: string | undefined;

  constructor(client: Client, ends: Ends, say: (text: string) => void, times: Times) {
    this.ends = ends;
    this.say = say;
    this.times = times;
    this.leaving = new Promise<never>((_, reject) => {
      this.reject = reject;
    });
    // It may reject before anything waits for it.
    this.leaving.catch(() => {});
    for (const signal of [ends.interrupt, ends.limits.signal])
      signal.addEventListener("abort", () => this.ended(), { signal: this.over.signal });
    this.stopWatching = client.onState?.((state) => {
      if (state.state === "waiting" && !this.isLost) this.lost(state);
      else if (state.state === "live" && this.isLost) this.back();
    });
  }

  hear({ event }: Delivered): void {
    if (isEvent(event, "runtime_end")) this.cancelledBy = event.cancelledBy;
  }

  reasonOf({ reason, error }: TurnOutcome): { code: string; message: string } | undefined {
    const { cancelledBy } = this;
    if (reason !== "cancelled" || this.ends.interrupt.aborted) return undefined;
    if (error) return error;
    if (cancelledBy === undefined) return errors.PRINT_HOST_STOPPED();
    return errors.PRINT_CANCELLED({ by: clientName(cancelledBy) });
  }

  end(): void {
    this.over.abort();
    clearTimeout(this.ending);
    clearTimeout(this.away);
    this.stopWatching?.();
  }

  /** Called when the turn was interrupted, or has reached a limit. */
  private ended(): void {
    if (this.isLost) this.leave();
    else this.ending ??= setTimeout(() => this.leave(), this.times.endMs);
  }

  private leave(): void {
    const { interrupt, limits } = this.ends;
    const waited = this.isLost ? {} : { seconds: this.times.endMs / 1000 };
    if (limits.signal.aborted && limits.reached) this.reject(limits.reached);
    else if (interrupt.aborted) this.reject(errors.PRINT_LEFT(waited));
  }

  private lost({ hostStopped, reason }: Extract<LinkState, { state: "waiting" }>): void {
    const { awayMs } = this.times;
    this.isLost = true;
    // The client that cancelled an earlier turn has not cancelled one that ends with the host.
    this.cancelledBy = undefined;
    const what = hostStopped ? "The host was stopped" : `The connection to the host is lost (${reason})`;
    this.say(`${what}; waiting until it is back. Ctrl-C ends this command.`);
    this.away = setTimeout(() => this.reject(errors.PRINT_HOST_AWAY({ seconds: awayMs / 1000 })), awayMs);
    this.leave();
  }

  private back(): void {
    this.isLost = false;
    clearTimeout(this.away);
    this.say("The connection to the host is back.");
  }
}
