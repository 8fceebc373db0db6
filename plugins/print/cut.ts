import type { TurnOutcome } from "@scorel/agent/contract";
import { clientName } from "@scorel/host/client";
import type { Client, Delivered } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { errors } from "./errors.ts";
import type { Limits } from "./limits.ts";

/** Ways in which others cut the turn off: another client cancels it, or the host is gone. */
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

/**
 * Watches whether others cut the turn off. `say` prints that the connection is lost, and that it is back.
 *
 * The host cancels a turn that was interrupted or has reached a limit, and its end is waited for. The command leaves without it when the
 * host is away, or has not answered within `endMs`. A host that stays away for `awayMs` is not waited for either.
 */
export function watchCuts(
  client: Client,
  { interrupt, limits }: Ends,
  say: (text: string) => void,
  { endMs, awayMs } = { endMs: 10_000, awayMs: 600_000 },
): Cuts {
  let cancelledBy: string | undefined;
  let isLost = false;
  const over = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  let reject: (error: Error) => void = () => {};
  const leaving = new Promise<never>((_, fail) => {
    reject = fail;
  });
  // It may reject before anything waits for it.
  leaving.catch(() => {});
  const leave = () => {
    if (limits.signal.aborted && limits.reached) reject(limits.reached);
    else if (interrupt.aborted) reject(errors.PRINT_LEFT());
  };
  const ended = () => {
    if (isLost) leave();
    else timers.add(setTimeout(leave, endMs));
  };
  for (const signal of [interrupt, limits.signal]) signal.addEventListener("abort", ended, { signal: over.signal });
  let away: NodeJS.Timeout | undefined;
  const end = client.onState?.((state) => {
    if (state.state === "waiting" && !isLost) {
      isLost = true;
      // The client that cancelled an earlier turn has not cancelled one that ends with the host.
      cancelledBy = undefined;
      say(
        `${state.hostStopped ? "The host was stopped" : `The connection to the host is lost (${state.reason})`}; waiting until it is back. Ctrl-C ends this command.`,
      );
      away = setTimeout(() => reject(errors.PRINT_HOST_AWAY({ seconds: awayMs / 1000 })), awayMs);
      timers.add(away);
      leave();
    } else if (state.state === "live" && isLost) {
      isLost = false;
      clearTimeout(away);
      say("The connection to the host is back.");
    }
  });
  return {
    hear({ event }) {
      if (isEvent(event, "runtime_end")) cancelledBy = event.cancelledBy;
    },
    reasonOf({ reason, error }) {
      if (reason !== "cancelled" || interrupt.aborted) return undefined;
      if (error) return error;
      if (cancelledBy === undefined) return errors.PRINT_HOST_STOPPED();
      return errors.PRINT_CANCELLED({ by: clientName(cancelledBy) });
    },
    leaving,
    end: () => {
      over.abort();
      for (const timer of timers) clearTimeout(timer);
      end?.();
    },
  };
}
