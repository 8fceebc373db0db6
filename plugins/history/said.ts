import type { EventOf, StoredEvent } from "@scorel/kernel";
import { plainText } from "@scorel/kit/text/plain";
import type { ScorelMessage, UserMessage } from "@scorel/messages/contract";

/** The message that an event brings into the conversation, if it brings one. */
export function messageIn(event: StoredEvent): ScorelMessage | undefined {
  if (event.type !== "message" && event.type !== "custom_message") return undefined;
  return (event as EventOf<"message">).message;
}

/** What a user said; undefined for any other event. */
export function userMessageIn(event: StoredEvent): UserMessage | undefined {
  const message = event.type === "message" ? messageIn(event) : undefined;
  return message?.role === "user" ? message : undefined;
}

/** The readable words of a message. */
export function wordsOf({ content }: Pick<ScorelMessage, "content">): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" ? block.text : block.type === "image" ? "[image]" : ""))
    .join("");
}

const LONGEST = 120;

/** An event in one line: who or what, and its beginning. */
export function lineOf(event: StoredEvent): { label: string; text: string } {
  const message = messageIn(event);
  if (!message) return { label: oneLine(event.type), text: oneLine(detailOf(event)) };
  if (message.role === "tool_result") return { label: oneLine(message.toolName), text: oneLine(wordsOf(message)) };
  const words = wordsOf(message);
  if (message.role !== "assistant" || words !== "") return { label: message.role, text: oneLine(words) };
  const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block.name] : []));
  return { label: "assistant", text: oneLine(`calls ${calls.join(", ")}`) };
}

/** Letters of an id that tell a million events apart. */
const NAME_LENGTH = 8;

/** The same in words: `3fK9aB2c (user: What does total() do?)`. */
export function named(event: StoredEvent): string {
  const { label, text } = lineOf(event);
  return `${event.id.slice(0, NAME_LENGTH)} (${label}${text === "" ? "" : `: ${oneLine(text, 40)}`})`;
}

/** Anything but printable ASCII with single spaces, which needs no cleaning and is counted by its length. */
const UNUSUAL = /[^ -~]| {2}/;

/** The beginning of a text by whole characters, without line breaks and whatever else would move a terminal's cursor. */
export function oneLine(text: string, longest = LONGEST): string {
  const start = text.slice(0, longest * 4);
  const isUnusual = UNUSUAL.test(start);
  const line = (isUnusual ? plainText(start).replace(/\s+/g, " ") : start).trim();
  if (line.length <= longest) return line;
  if (!isUnusual) return `${line.slice(0, longest - 1)}…`;
  const letters = [...line];
  return letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : line;
}

function detailOf(event: StoredEvent): string {
  const { summary, targetEventId, leafEventId, changes, kind } = event as StoredEvent & Record<string, unknown>;
  if (typeof summary === "string") return summary;
  if (targetEventId !== undefined) return `to ${targetEventId ?? "the start"}`;
  if (leafEventId !== undefined) return `to ${leafEventId}`;
  if (changes !== undefined)
    return Object.entries(changes as object)
      .map(([key, value]) => `${key} ${value}`)
      .join(", ");
  return typeof kind === "string" ? kind : "";
}
