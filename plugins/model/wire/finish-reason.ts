import { asObject } from "./event-text.ts";

/** Finish reasons that some openai-completions servers use in place of the standard ones. */
const STANDARD: ReadonlyMap<unknown, string> = new Map([
  ["eos", "stop"],
  ["eos_token", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
]);

/** Stop reasons of anthropic-messages that the library knows. */
const STOP_REASONS: ReadonlySet<unknown> = new Set([
  ...["end_turn", "max_tokens", "tool_use", "refusal", "pause_turn", "stop_sequence", "sensitive"],
]);

/** Replaces finish reasons that the library does not know, for which it would throw the reply away. Returns true if anything changed. */
export function repairFinishReason(data: Record<string, unknown>): boolean {
  return data.type === "message_delta" ? repairStopReason(asObject(data.delta)) : repairChoice(data);
}

/** The end of the context window cuts a reply as the limit of its length does. Any other new reason ends a whole reply. */
function repairStopReason(delta: Record<string, unknown> | undefined): boolean {
  const reason = delta?.stop_reason;
  if (delta === undefined || typeof reason !== "string" || STOP_REASONS.has(reason)) return false;
  delta.stop_reason = reason === "model_context_window_exceeded" ? "max_tokens" : "end_turn";
  return true;
}

function repairChoice({ choices }: Record<string, unknown>): boolean {
  const [choice] = Array.isArray(choices) ? choices.map(asObject) : [];
  const standard = STANDARD.get(choice?.finish_reason);
  if (choice && standard !== undefined) choice.finish_reason = standard;
  return standard !== undefined;
}
