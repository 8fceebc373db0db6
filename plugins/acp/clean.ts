import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { plainText } from "@scorel/kit/text/plain";

/** The longest text in one part of an update. Results of tools are shorter. */
const MAX_TEXT = 200_000;
/** Larger arguments of calls are left out of updates. */
const MAX_ARGS = 32_000;

/** Removes control sequences from the text of a model or tool, and limits its length. */
export function cleanText(text: string): string {
  return plainText(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

/** Text as content of a tool call. */
export function textPart(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text: cleanText(text) } };
}

/** Text as a Markdown code block. Its fence is longer than any fence in the text. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** The arguments of a call with cleaned strings. Undefined if they are too large, or are not JSON. */
export function cleanArgs(args: unknown): unknown {
  const json = JSON.stringify(args, (_key, value: unknown) => (typeof value === "string" ? plainText(value) : value));
  return json === undefined || json.length > MAX_ARGS ? undefined : JSON.parse(json);
}
