import type { SessionMeta } from "@scorel/messages/contract";

/** Text of an event and its author. */
export interface ReadableText {
  /** `user`, `assistant`, `thinking`, the name of a tool, `summary`, `name` or `title`. */
  who: string;
  text: string;
}
type Fields = Record<string, unknown>;

const DEEPEST = 16;

/** Returns the readable text of a log record, without ids, checksums and bookkeeping. A header has at most a name. */
export function readableTexts(record: unknown): ReadableText[] {
  if (!isObject(record)) return [];
  const { type, message, summary, changes, meta } = record;
  if (type === "message" || type === "custom_message") return isObject(message) ? saidIn(message) : [];
  if (type === "compact") return textOf("summary", summary);
  if (type === "session_info") return namesIn(changes);
  return type === undefined ? namesIn(meta) : [];
}

function saidIn({ role, content, toolName }: Fields): ReadableText[] {
  const who = role === "tool_result" ? String(toolName) : String(role);
  if (typeof content === "string") return textOf(who, content);
  return Array.isArray(content) ? content.flatMap((block) => (isObject(block) ? blockIn(block, who) : [])) : [];
}

function blockIn({ type, text, thinking, name, attachment, arguments: args }: Fields, who: string): ReadableText[] {
  // The text of an attached file was not written by the user.
  if (attachment) return [];
  if (type === "text") return textOf(who, text);
  if (type === "thinking") return textOf("thinking", thinking);
  return type === "toolCall" ? stringsIn(args).map((value) => ({ who: String(name), text: value })) : [];
}

function namesIn(changes: unknown): ReadableText[] {
  if (!isObject(changes)) return [];
  const { name, title } = changes as SessionMeta;
  return [...textOf("name", name), ...textOf("title", title)];
}

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((inner) => stringsIn(inner, depth + 1));
}

function textOf(who: string, text: unknown): ReadableText[] {
  return typeof text === "string" && text !== "" ? [{ who, text }] : [];
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
