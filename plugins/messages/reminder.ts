import type { LlmAction } from "@scorel/kernel";
import type { ScorelMessage, UserMessage } from "./contract.ts";

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

/** Returns how a message is sent to a model: as it is, merged into the preceding tool result, or not at all. */
export function messageToLlm(message: ScorelMessage): LlmAction {
  if (message.role === "internal") return { action: "skip" };
  if (message.role !== "user" || message.meta?.source === undefined || hasImage(message))
    return { action: "include", message };
  return { action: "merge_prev", content: systemReminder(wholeText(message)), otherwise: message };
}

function wholeText({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n\n");
}

/** Reminders are text only, so a message with an image is sent on its own. */
function hasImage({ content }: UserMessage): boolean {
  return typeof content !== "string" && content.some((block) => block.type === "image");
}
