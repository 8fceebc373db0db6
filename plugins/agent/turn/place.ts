import type { TransientDefinition, TransientOf, Transients } from "@scorel/kernel";
import { untilAborted } from "@scorel/kit/values/abort";
import type { SessionMeta } from "@scorel/messages/contract";
import { z } from "zod";
import type { TurnPlace } from "../contract.ts";
import type { AgentContext } from "../environment.ts";

/** Requests a place for a turn. A session with a parent needs none, because it works for its parent's turn. */
export function placeOf(ctx: AgentContext): TurnPlace | undefined {
  const { header, id } = ctx.session;
  return (header.meta as SessionMeta).parent === undefined ? ctx.find("turnOrder")?.enter(id) : undefined;
}

/** Waits until the turn may begin. Rejects when `signal` aborts. */
export async function untilItBegins(
  { ahead, begins }: TurnPlace,
  ctx: AgentContext,
  signal: AbortSignal,
): Promise<void> {
  ctx.session.emit("turn_wait_start", { ahead });
  try {
    await untilAborted(begins, signal);
  } finally {
    if (!ctx.session.stopping.aborted) ctx.session.emit("turn_wait_end", { cancelled: signal.aborted });
  }
}

/** Transient event `turn_wait_start`: the turn waits for turns of other sessions. */
export const turnWaitStart: TransientDefinition<Transients["turn_wait_start"]> = {
  transient: true,
  inFlight: { work: "turnWait" },
  schema: z.strictObject({ ahead: z.int().min(0) }),
  convertToDisplay: ({ ahead }: TransientOf<"turn_wait_start">) => ({
    display: "notice",
    level: "info",
    text: `(waiting for turns of other sessions to end${ahead === 0 ? "" : `; ${ahead} more wait before this one`})`,
  }),
};

/** Transient event `turn_wait_end`: the wait is over. */
export const turnWaitEnd: TransientDefinition<Transients["turn_wait_end"]> = {
  transient: true,
  inFlight: { work: "turnWait", effect: "end" },
  schema: z.strictObject({ cancelled: z.boolean() }),
  convertToDisplay: () => ({ display: "hidden" }),
};
