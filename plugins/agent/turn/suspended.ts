import { type AppendEntry, type EventOf, isEvent, type Session, type StoredEvent } from "@scorel/kernel";
import { addUsage, noUsage, usageIn } from "@scorel/kit/session/usage";
import type { ToolCallBlock, UserMessage } from "@scorel/messages/contract";
import { lostReply, resultOf } from "../calls/lost-reply.ts";
import type { TurnLimits } from "../contract.ts";
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
  /** The messages that the turn answers, in order: the one that started it, and those that joined it. */
  prompts: readonly Prompt[];
}

type Prompt = EventOf<"message"> & { message: UserMessage };

/** A suspended turn whose question is being answered. It resumes when `answered` resolves. */
export type AnsweredTurn = SuspendedTurn & { answered: Promise<unknown> };

const PASSED =
  "Not run: Scorel ended while it was asked whether this may run, and nobody answered before the conversation continued.";

/** The turn that waits for the answer to an open question, according to the log. A running turn with an open question looks the same. */
export function suspendedTurn({ ctx }: Environment): SuspendedTurn | undefined {
  const { session } = ctx;
  const lost = lostReply(session);
  const requestId = lost && ctx.find("approver")?.openQuestion?.(lost.reply.id);
  const prompts = lost ? promptsOf(lost.reply, session) : [];
  return lost && prompts.length > 0 && requestId !== undefined ? { requestId, prompts, ...lost } : undefined;
}

/** The ids of the messages that a turn answers (queue items and events), which callers may wait for. */
export function servedBy({ prompts }: SuspendedTurn): string[] {
  return prompts.flatMap(({ id, message: { meta } }) =>
    meta?.queueItemId === undefined ? id : [meta.queueItemId, id],
  );
}

/** The latest message that a turn answers. */
export function lastPrompt({ prompts }: SuspendedTurn): Prompt {
  return prompts.at(-1) as Prompt;
}

/**
 * The limits of the messages that a turn answers, each with the model calls before the stored reply and the US dollars that the turn has
 * spent since that message.
 */
export function limitsOf(
  { prompts, reply }: SuspendedTurn,
  { tree }: Session,
): { limits: TurnLimits; rounds: number; cost: number }[] {
  return prompts.flatMap(({ seq, message: { meta } }) => {
    if (!meta?.limits) return [];
    const since = tree.between(seq + 1, reply.seq);
    const rounds = since.filter((event) => isReply(event) && event.id !== reply.id).length;
    const used = since.reduce((sum, event) => addUsage(sum, usageIn(event)?.usage), noUsage());
    return { limits: meta.limits, rounds, cost: used.cost.total };
  });
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

function promptsOf({ id }: StoredEvent, { tree }: Session): Prompt[] {
  const prompts: Prompt[] = [];
  for (const event of tree.ancestors(id)) {
    if (!isPrompt(event)) continue;
    prompts.unshift(event);
    // Only the message that starts a turn has no source.
    if (event.message.meta?.source === undefined) break;
  }
  return prompts;
}

function isPrompt(event: StoredEvent): event is Prompt {
  return isEvent(event, "message") && event.message.role === "user";
}

function isReply(event: StoredEvent): boolean {
  return isEvent(event, "message") && event.message.role === "assistant";
}
