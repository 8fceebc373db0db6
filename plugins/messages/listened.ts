import { type ConvertContext, type EventId, isEvent, type TransientOf } from "@scorel/kernel";
import type { ScorelMessage, ToolResultMessage } from "./contract.ts";

/** Fields for pi's listeners when a call ends: its result, if it is in the log. */
export function endedCall({ eventId }: TransientOf<"tool_execution_end">, context: ConvertContext) {
  const message = messageAt(eventId, context);
  if (message?.role !== "tool_result") return {};
  return { result: { content: message.content, details: message.details } };
}

/** Fields for pi's listeners when a round ends: the reply and the results of its calls, if they are in the log. */
export function endedRound({ messageId, resultIds = [] }: TransientOf<"turn_end">, context: ConvertContext) {
  const message = messageAt(messageId, context);
  let results: ReturnType<typeof asPi>[] | undefined;
  return {
    ...(message && { message }),
    // Computed on access, since a round may have thousands of results.
    get toolResults() {
      results ??= resultIds.flatMap((resultId) => {
        const result = messageAt(resultId, context);
        return result?.role === "tool_result" ? asPi(result) : [];
      });
      return results;
    },
  };
}

function asPi(result: ToolResultMessage) {
  return { ...result, role: "toolResult" as const };
}

function messageAt(id: EventId | undefined, context: ConvertContext): ScorelMessage | undefined {
  const event = id === undefined ? undefined : context.get(id);
  return isEvent(event, "message") ? event.message : undefined;
}
