import type { ConvertContext, EventId, EventOf, TransientOf } from "@scorel/kernel";
import type { ScorelMessage, ToolResultMessage } from "./contract.ts";

/** What pi's listeners know of a call's end: its result, when it is in the log. */
export function endedCall({ eventId }: TransientOf<"tool_execution_end">, context: ConvertContext) {
  const message = messageAt(eventId, context);
  if (message?.role !== "tool_result") return {};
  return { result: { content: message.content, details: message.details } };
}

/** What pi's listeners know of a round's end: the reply, when it is in the log, and the results of its calls. */
export function endedRound({ messageId, resultIds = [] }: TransientOf<"turn_end">, context: ConvertContext) {
  const message = messageAt(messageId, context);
  const results = resultIds.map((resultId) => messageAt(resultId, context));
  const toolResults = results.flatMap((result) => (result?.role === "tool_result" ? asPi(result) : []));
  return { ...(message && { message }), toolResults };
}

function asPi(result: ToolResultMessage) {
  return { ...result, role: "toolResult" as const };
}

function messageAt(id: EventId | undefined, context: ConvertContext): ScorelMessage | undefined {
  const event = id === undefined ? undefined : context.get(id);
  return event?.type === "message" ? (event as EventOf<"message">).message : undefined;
}
