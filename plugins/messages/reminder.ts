import type { LlmAction } from "@scorel/kernel";
import type { ScorelMessage, UserMessage } from "./contract.ts";
import { textOf } from "./message.ts";

/** The tag itself, opening or closing, however it is spaced or written. */
const TAG = /<(?=[\s/]*system-reminder)/gi;

/** Marks text as coming from the harness, not from the tool or the person it stands next to; no text can end the mark early. */
export function systemReminder(content: string): string {
  return `<system-reminder>\n${content.replace(TAG, "&lt;")}\n</system-reminder>`;
}

/** Joins side-band text to a tool result, as its last block; any other message cannot carry it. */
export function mergeMessage(previous: ScorelMessage, content: string): ScorelMessage | undefined {
  if (previous.role !== "tool_result") return undefined;
  return { ...previous, content: [...previous.content, { type: "text", text: content }] };
}

/** What a message is to a model: as it is, joined to the tool result before it, or nothing. */
export function messageToLlm(message: ScorelMessage): LlmAction {
  if (message.role === "internal") return { action: "skip" };
  if (message.role !== "user" || message.meta?.source === undefined || hasImage(message))
    return { action: "include", message };
  return { action: "merge_prev", content: systemReminder(textOf(message)), otherwise: message };
}

/** A reminder is text: a message with an image stays a message of its own, so that no image is lost. */
function hasImage({ content }: UserMessage): boolean {
  return typeof content !== "string" && content.some((block) => block.type === "image");
}
