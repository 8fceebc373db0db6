import type { TurnOutcome } from "@scorel/agent/contract";
import { clientName } from "@scorel/host/client";
import type { Client, Delivered } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { errors } from "./errors.ts";

/** Ways in which others cut the turn off: another client cancels it, or the host is gone. */
export interface Cuts {
  hear(delivered: Delivered): void;
  /** The error for a turn that others have cancelled; undefined for every other outcome. */
  reasonOf(outcome: TurnOutcome): { code: string; message: string } | undefined;
  /** Rejects when the command is interrupted while the host is away, since nobody knows how long it stays away. */
  readonly leaving: Promise<never>;
  end(): void;
}

/** Watches whether others cut the turn off. `say` prints that the connection is lost, and that it is back. */
export function watchCuts(client: Client, interrupt: AbortSignal, say: (text: string) => void): Cuts {
  let cancelledBy: string | undefined;
  let isLost = false;
  let leave = () => {};
  const leaving = new Promise<never>((_, reject) => {
    leave = () => void (isLost && interrupt.aborted && reject(errors.PRINT_LEFT()));
  });
  // It may reject before anything waits for it.
  leaving.catch(() => {});
  interrupt.addEventListener("abort", leave);
  const end = client.onState?.((state) => {
    if (state.state === "waiting" && !isLost) {
      isLost = true;
      // The client that cancelled an earlier turn has not cancelled one that ends with the host.
      cancelledBy = undefined;
      say(
        `${state.hostStopped ? "The host was stopped" : `The connection to the host is lost (${state.reason})`}; waiting until it is back. Ctrl-C ends this command.`,
      );
      leave();
    } else if (state.state === "live" && isLost) {
      isLost = false;
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
      interrupt.removeEventListener("abort", leave);
      end?.();
    },
  };
}
