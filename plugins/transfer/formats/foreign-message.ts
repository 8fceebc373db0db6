import type { Events } from "@scorel/kernel";
import { sha256Of } from "@scorel/kit/files/hash";
import { noUsage } from "@scorel/kit/session/usage";
import type {
  AssistantMessage,
  ImageBlock,
  TextBlock,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "@scorel/messages/contract";
import { type Json, lineOf, listIn, recordIn, textIn } from "../json.ts";

// Messages of other programs are built from known fields only, so that no unchecked value gets into the log.

const MOST_TOKENS = 1e9;
const MOST_DOLLARS = 1e6;
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function userMessage(content: UserMessage["content"], timestamp: number): UserMessage {
  return { role: "user", content, timestamp };
}

/** Creates an assistant message. The stop reason follows from its calls and from `failure`. */
export function assistantMessage(
  from: Pick<AssistantMessage, "content" | "api" | "provider" | "model" | "timestamp"> & {
    usage?: Usage;
    failure?: string;
  },
): AssistantMessage {
  const { usage = noUsage(), failure, ...rest } = from;
  const called = from.content.some(({ type }) => type === "toolCall");
  const stopReason = failure === undefined ? (called ? "toolUse" : "stop") : "error";
  return { role: "assistant", ...rest, usage, stopReason, ...(failure && { errorMessage: failure }) };
}

/** Creates a tool's result; `callId` may be any value (see `callIdOf`). */
export function toolResult(from: {
  callId: unknown;
  toolName: string;
  content: (TextBlock | ImageBlock)[];
  isError: boolean;
  timestamp: number;
}): ToolResultMessage {
  const { callId, toolName, content, isError, timestamp } = from;
  return { role: "tool_result", toolCallId: callIdOf(callId), toolName, content, isError, timestamp };
}

/** Returns a call id that every provider accepts, the same for a call and its result. */
export function callIdOf(given: unknown): string {
  const id = textIn(given);
  if (/^[\w-]{1,64}$/.test(id)) return id;
  return `call_${sha256Of(id).slice(0, 24)}`;
}

/** Returns a name of a tool or model as one non-empty line. */
export function nameOf(given: unknown, otherwise: string): string {
  return lineOf(given, 200) || otherwise;
}

export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}

/** Creates an image from base64; undefined when providers would not accept it. */
export function imageBlock(data: unknown, mimeType: unknown): ImageBlock | undefined {
  const type = textIn(mimeType).toLowerCase();
  const bytes = textIn(data);
  if (!IMAGES.includes(type) || bytes === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(bytes)) return undefined;
  return { type: "image", data: bytes, mimeType: type };
}

/** Creates an image from a URL like `data:image/png;base64,…`. */
export function imageOfUrl(url: unknown): ImageBlock | undefined {
  const [, type, data] = /^data:([\w/+.-]{1,40});base64,(.*)$/s.exec(textIn(url)) ?? [];
  return imageBlock(data, type);
}

/** Converts blocks with a `text` of any type, and images by `image`. Drops all others. */
export function blocksOf(content: unknown, image: (block: Json) => ImageBlock | undefined): (TextBlock | ImageBlock)[] {
  if (typeof content === "string") return content === "" ? [] : [textBlock(content)];
  return listIn(content).flatMap((item): (TextBlock | ImageBlock)[] => {
    const block = recordIn(item);
    const picture = image(block);
    if (picture) return [picture];
    return typeof block.text === "string" && block.text !== "" ? [textBlock(block.text)] : [];
  });
}

/** Returns the text blocks, joined by line breaks. */
export function wordsOf(content: unknown): string {
  return blocksOf(content, () => undefined)
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n");
}

/** Creates a compaction event. `tokensAfter` is estimated from the summary's length. */
export function compaction(
  from: Pick<Events["compact"], "summary" | "compactedThrough" | "tokensBefore">,
): Events["compact"] {
  return { ...from, tokensAfter: Math.ceil(from.summary.length / 4) };
}

/** Returns a single text block as a plain string, which is how user messages are stored. */
export function contentOf(blocks: (TextBlock | ImageBlock)[]): UserMessage["content"] {
  const [first, ...others] = blocks;
  return first?.type === "text" && others.length === 0 ? first.text : blocks;
}

/** Creates usage from unchecked counts and US dollars; invalid ones are 0. */
export function usageOf(
  tokens: { [K in "input" | "output" | "cacheRead" | "cacheWrite"]?: unknown },
  cost?: unknown,
): Usage {
  const [input, output, cacheRead, cacheWrite] = [tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite].map(
    (count) => bounded(count, MOST_TOKENS),
  ) as [number, number, number, number];
  const dollars = recordIn(cost);
  const price = (key: string) => bounded(dollars[key], MOST_DOLLARS);
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: {
      input: price("input"),
      output: price("output"),
      cacheRead: price("cacheRead"),
      cacheWrite: price("cacheWrite"),
      total: price("total"),
    },
  };
}

/** Returns a count or price within 0 and `most`; 0 when it is invalid. */
export function bounded(value: unknown, most: number): number {
  return typeof value === "number" && value > 0 ? Math.min(value, most) : 0;
}
