import { isEvent, type StoredEvent } from "@scorel/kernel";
import { typedContent } from "@scorel/kit/session/typed";
import { plainText } from "@scorel/kit/text/plain";
import type { ScorelMessage, UserMessage } from "@scorel/messages/contract";

type Block = Exclude<ScorelMessage["content"], string>[number];

/** Returns the message of an event, if it has one. */
export function messageIn(event: StoredEvent): ScorelMessage | undefined {
  return isEvent(event, "message") || isEvent(event, "custom_message") ? event.message : undefined;
}

/** Returns a user's message; undefined for other events. */
export function userMessageIn(event: StoredEvent): UserMessage | undefined {
  const message = event.type === "message" ? messageIn(event) : undefined;
  return message?.role === "user" ? message : undefined;
}

/** Returns a message's text; images become "[image]". */
export function wordsOf(message: Pick<ScorelMessage, "content">): string {
  const content = typedContent<Block>(message.content);
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" ? block.text : block.type === "image" ? "[image]" : ""))
    .join("");
}

const LONGEST = 120;
/** The type of an event for a line that a person has run in the shell. */
const SHELL_LINE = "shell_line";

/** Summarizes an event in one line: a label and the start of its text. */
export function lineOf(event: StoredEvent): { label: string; text: string } {
  const message = messageIn(event);
  if (event.type === SHELL_LINE) return { label: "shell", text: oneLine(`$ ${Object(event).command}`) };
  if (!message) return { label: oneLine(event.type), text: oneLine(detailOf(event)) };
  if (message.role === "tool_result") return { label: oneLine(message.toolName), text: oneLine(wordsOf(message)) };
  const words = wordsOf(message);
  if (message.role !== "assistant" || words !== "") return { label: message.role, text: oneLine(words) };
  const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block.name] : []));
  return { label: "assistant", text: oneLine(`calls ${calls.join(", ")}`) };
}

/** Id characters that distinguish a million events. */
const NAME_LENGTH = 8;

/** Describes an event, for example `3fK9aB2c (user: What does total() do?)`. */
export function describeEvent(event: StoredEvent): string {
  const { label, text } = lineOf(event);
  return `${event.id.slice(0, NAME_LENGTH)} (${label}${text === "" ? "" : `: ${oneLine(text, 40)}`})`;
}

/** Names, by event type, for the last event of a conversation if it is not a message. */
const ENDS: Readonly<Record<string, string>> = {
  [SHELL_LINE]: "the shell line",
  turn_failed: "a failed turn",
  compact: "a compaction",
  session_info: "a change of the settings",
  permission_mode: "a change of the permission mode",
};

/** Ends a sentence with what a conversation ends with, for example `the reply: It adds up prices.` or `a failed turn.` */
export function sentenceEnd(event: StoredEvent): string {
  const { label, text } = lineOf(event);
  const role = messageIn(event)?.role;
  const what =
    role === "user"
      ? "the message"
      : role === "assistant"
        ? "the reply"
        : role === "tool_result"
          ? `the result of ${label}`
          : (ENDS[event.type] ?? `the ${label}`);
  return text === "" ? `${what}.` : `${what}: ${oneLine(text, 60)}`;
}

/** Matches text that needs cleaning or whose width is not its length. */
const UNUSUAL = /[^ -~]| {2}/;

/** Returns the start of a text as one line without control characters, cut at whole characters. */
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
