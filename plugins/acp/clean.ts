import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { beginningOf } from "@scorel/kit/text/cut";
import { fenced } from "@scorel/kit/text/fence";
import { plainText } from "@scorel/kit/text/plain";

/** The longest text in one part of an update. Results of tools are shorter. */
const MAX_TEXT = 200_000;
/** Larger arguments of calls are left out of updates. */
const MAX_ARGS = 32_000;

/** Removes control sequences from the text of a model or tool, and limits its length. */
export function cleanText(text: string): string {
  return plainText(text.length > MAX_TEXT ? `${beginningOf(text, MAX_TEXT)}…` : text);
}

/** Text as content of a tool call. */
export function textPart(text: string): ToolCallContent {
  return { type: "content", content: { type: "text", text: cleanText(text) } };
}

/** Text as a Markdown code block, without a line break at its end. */
export function codeBlock(text: string): string {
  return fenced(text.replace(/\n$/, ""));
}

/** The arguments of a call with cleaned strings. Undefined if they are too large, or are not JSON. */
export function cleanArgs(args: unknown): unknown {
  const json = JSON.stringify(args, (_key, value: unknown) => (typeof value === "string" ? plainText(value) : value));
  return json === undefined || json.length > MAX_ARGS ? undefined : JSON.parse(json);
}
