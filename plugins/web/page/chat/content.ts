import type { UserMessage } from "@scorel/messages/contract";

/** The text of a message's content. */
export function textOf(content: UserMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
