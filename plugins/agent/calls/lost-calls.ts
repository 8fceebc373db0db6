import type { LogView } from "@scorel/kernel";
import type { Environment } from "../environment.ts";
import { suspendedTurn } from "../turn/suspended.ts";
import { lostReply, resultOf } from "./lost-reply.ts";

const STOPPED =
  "Stopped: Scorel ended while this ran; its result is unknown. It may have had an effect; check before you repeat it.";
const NOT_RUN = "Not run: Scorel ended while it was asked whether this may run.";
const WAITS = `${NOT_RUN} The question waits for its answer until somebody opens the session.`;

/**
 * Stores results for calls that had none when the session's last process ended, so that people see what happened to them. Calls that wait
 * for a person's answer get a result only if the session is opened for reading (`abandoned`).
 */
export async function storeLostCalls(env: Environment, { abandoned }: { abandoned: boolean }): Promise<void> {
  const { ctx } = env;
  const { session } = ctx;
  const leaf = session.activeLeaf;
  const lost = lostReply(session)?.calls ?? [];
  if (lost.length === 0 || session.held) return;
  const isSuspended = suspendedTurn(env) !== undefined;
  if (isSuspended && !abandoned) return;
  const approver = ctx.find("approver");
  const isUnmoved = (view: LogView) => {
    if (view.activeLeaf !== leaf) throw new Error("the conversation has continued");
  };
  const entries = lost.map((call) => {
    const text = isSuspended ? WAITS : approver?.isUnanswered?.(call.id) ? NOT_RUN : STOPPED;
    return { type: "message" as const, payload: { message: resultOf(call, text) }, check: isUnmoved };
  });
  try {
    await session.appendAll(entries);
  } catch (thrown) {
    // Without stored results, requests to the model contain a note that there is no result.
    if (session.activeLeaf === leaf && !session.held && !session.stopping.aborted)
      ctx.report("storing calls that were cut off", thrown);
  }
}
