import type { LlmAction } from "@scorel/kernel";
import type { ScorelMessage } from "./contract.ts";

/** Matches the reminder tag, opening or closing, in any spelling. */
const TAG = /<(?=[\s/]*system-reminder)/gi;

/** Wraps text as a system note. Tags in the text are escaped, so it cannot end the note. */
export function systemReminder(content: string): string {
  return `<system-reminder>\n${content.replace(TAG, "&lt;")}\n</system-reminder>`;
}

/** Appends text to a tool result as its last block; undefined for other messages. */
export function mergeMessage(previous: ScorelMessage, content: string): ScorelMessage | undefined {
  if (previous.role !== "tool_result") return undefined;
  return { ...previous, content: [...previous.content, { type: "text", text: content }] };
}

/**
 * Returns how a message is sent to a model: unchanged, or not at all. A message that a user sends into a running turn is sent as a separate
 * message, too, after the results before it.
 */
export function messageToLlm(message: ScorelMessage): LlmAction {
  return message.role === "internal" ? { action: "skip" } : { action: "include", message };
}
