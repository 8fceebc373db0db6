import { type AppendEntry, type EventOf, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import type { ToolCallBlock, UserMessage } from "@scorel/messages/contract";
import { lostReply, resultOf } from "../calls/lost-reply.ts";
import type { Environment } from "../environment.ts";

/**
 * A turn whose host stopped while a person was asked whether a call may run. None of the reply's calls without a result has begun, because
 * the library gets approval for all calls of a reply before it runs the first one. So the turn can resume once the question is answered.
 */
export interface SuspendedTurn {
  /** The question that waits for its answer. */
  requestId: string;
  reply: EventOf<"message" | "custom_message">;
  /** The calls of the reply that have no result. */
  calls: readonly ToolCallBlock[];
  /** The message that the turn answers. */
  prompt: EventOf<"message">;
}

/** A suspended turn whose question is being answered. It resumes when `answered` resolves. */
export type AnsweredTurn = SuspendedTurn & { answered: Promise<unknown> };

const PASSED =
  "Not run: Scorel ended while it was asked whether this may run, and nobody answered before the conversation continued.";

/** The turn that waits for the answer to an open question, according to the log. A running turn with an open question looks the same. */
export function suspendedTurn({ ctx }: Environment): SuspendedTurn | undefined {
  const { session } = ctx;
  const lost = lostReply(session);
  const requestId = lost && ctx.find("approver")?.openQuestion?.(lost.reply.id);
  const prompt = lost && promptOf(lost.reply, session);
  return prompt && requestId !== undefined ? { requestId, prompt, ...lost } : undefined;
}

/** The ids of the message that a turn answers (queue item and event), which callers may wait for. */
export function servedBy({ prompt }: SuspendedTurn): string[] {
  const { queueItemId } = (prompt.message as UserMessage).meta ?? {};
  return [...(queueItemId === undefined ? [] : [queueItemId]), prompt.id];
}

/** The entries to write if the conversation continues without the answer: results of the calls, and the end of the question. */
export function passedOver(turn: SuspendedTurn, { ctx }: Environment): AppendEntry[] {
  const results = turn.calls.map((call) => ({
    type: "message" as const,
    payload: { message: resultOf(call, PASSED) },
  }));
  return [
    ...results,
    ...(ctx.find("approver")?.endOf?.(turn.requestId, "the conversation continued without it") ?? []),
  ];
}

function promptOf({ id }: StoredEvent, { tree }: Session): EventOf<"message"> | undefined {
  for (const event of tree.ancestors(id)) if (isEvent(event, "message") && event.message.role === "user") return event;
  return undefined;
}
