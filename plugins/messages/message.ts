import { typedContent } from "@scorel/kit/session/typed";
import { z } from "zod";
import type { ScorelMessage } from "./contract.ts";

// Loose objects, because providers' own fields (signatures, response ids) must be sent back unchanged.
const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const image = z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const thinking = z.looseObject({ type: z.literal("thinking"), thinking: z.string() });
const toolCall = z.looseObject({
  type: z.literal("toolCall"),
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});

const meta = z
  .looseObject({
    source: z.enum(["steer", "followUp"]).optional(),
    queueItemId: z.string().optional(),
    messageId: z.string().optional(),
    sentHash: z.string().optional(),
    retried: z.literal(true).optional(),
    literal: z.literal(true).optional(),
    limits: z.looseObject({ rounds: z.number().optional(), cost: z.number().optional() }).optional(),
    refused: z.looseObject({ reason: z.string().optional() }).optional(),
    arguments: z
      .looseObject({ set: z.record(z.string(), z.unknown()).optional(), unset: z.array(z.string()).optional() })
      .optional(),
  })
  .optional();

/** Schema of the usage of a model call, in tokens and US dollars. */
export const usage = z.looseObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  totalTokens: z.number(),
  cost: z.looseObject({
    input: z.number(),
    output: z.number(),
    cacheRead: z.number(),
    cacheWrite: z.number(),
    total: z.number(),
  }),
});

const plainContent = z.array(z.discriminatedUnion("type", [text, image]));

const user = z.looseObject({
  role: z.literal("user"),
  content: z.union([z.string(), plainContent]),
  timestamp: z.number(),
  meta,
});
const assistant = z.looseObject({
  role: z.literal("assistant"),
  content: z.array(z.discriminatedUnion("type", [text, thinking, toolCall])),
  api: z.string(),
  provider: z.string(),
  model: z.string(),
  usage,
  stopReason: z.enum(["stop", "length", "toolUse", "error", "aborted"]),
  errorMessage: z.string().optional(),
  partial: z.literal(true).optional(),
  timestamp: z.number(),
  meta,
});
const toolResult = z.looseObject({
  role: z.literal("tool_result"),
  toolCallId: z.string(),
  toolName: z.string(),
  content: plainContent,
  details: z.unknown().optional(),
  isError: z.boolean(),
  usage: usage.optional(),
  timestamp: z.number(),
  meta,
});
const internal = z.looseObject({
  role: z.literal("internal"),
  content: z.string(),
  timestamp: z.number(),
  meta,
});

/** Schema of any message. */
export const message: z.ZodType<ScorelMessage> = z.discriminatedUnion("role", [user, assistant, toolResult, internal]);

/** Quick check that a value is a readable message. Details of its blocks are not checked. */
export function isMessage(value: unknown): boolean {
  const { role, content } = Object(value) as { role?: unknown; content?: unknown };
  if (!["user", "assistant", "tool_result", "internal"].includes(role as string)) return false;
  if (typeof content === "string") return role !== "assistant" && role !== "tool_result";
  return Array.isArray(content) && content.every((block) => typeof Object(block).type === "string");
}

/** Returns a message's text blocks, joined, without attached files. */
export function textOf(of: ScorelMessage): string {
  const content = of.role === "user" ? typedContent(of.content) : of.content;
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" ? block.text : block.type === "image" ? "[image]" : ""))
    .join("");
}
