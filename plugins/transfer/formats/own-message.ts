import type { Events } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import { z } from "zod";
import { type Json, lineOf, recordIn } from "../json.ts";
import { bounded } from "./foreign-message.ts";

// Schemas for events of imported logs, which must be validated before they take effect.
const text = z.looseObject({ type: z.literal("text"), text: z.string() });
const image = z.looseObject({ type: z.literal("image"), data: z.string(), mimeType: z.string() });
const thinking = z.looseObject({ type: z.literal("thinking"), thinking: z.string() });
const toolCall = z.looseObject({
  type: z.literal("toolCall"),
  id: z.string().max(500),
  name: z.string().max(500),
  arguments: z.record(z.string(), z.unknown()),
});
const numbers = z.record(z.string(), z.unknown());
const timestamp = z.number().min(0).max(8.64e15);
const meta = z.looseObject({ source: z.enum(["steer", "followUp"]).optional(), retried: z.literal(true).optional() });
const common = { timestamp, meta: meta.optional() };
const plain = z.array(z.discriminatedUnion("type", [text, image]));

const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("user"), content: z.union([z.string(), plain]), ...common }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.array(z.discriminatedUnion("type", [text, thinking, toolCall])),
    api: z.string(),
    provider: z.string(),
    model: z.string(),
    usage: z.looseObject({ cost: numbers }),
    stopReason: z.enum(["stop", "length", "toolUse", "error", "aborted"]),
    errorMessage: z.string().optional(),
    partial: z.literal(true).optional(),
    ...common,
  }),
  z.looseObject({
    role: z.literal("tool_result"),
    toolCallId: z.string().max(500),
    toolName: z.string().max(500),
    content: plain,
    isError: z.boolean(),
    ...common,
  }),
  z.looseObject({ role: z.literal("internal"), content: z.string(), ...common }),
]);
const kind = z.string().min(1).max(200);
const count = z.number().min(0).max(1e9);

const payloads = {
  message: z.looseObject({ message }),
  custom_message: z.looseObject({ kind, message, data: z.unknown().optional() }),
  compact: z.looseObject({
    summary: z.string(),
    compactedThrough: z.string(),
    tokensBefore: count,
    tokensAfter: count,
    method: z.enum(["model", "extract", "plugin"]).optional(),
    model: z.string().optional(),
    usage: z.looseObject({ cost: numbers }).optional(),
    note: z.string().optional(),
  }),
  harness_item: z.looseObject({
    kind: z.enum(["attachment", "skill_listing", "skill_delta", "memory", "date_change", "steer", "runtime_notice"]),
    origin: z.enum(["user", "system", "tool", "skill"]),
    visibility: z.enum(["model", "user", "both"]),
    text: z.string().min(1),
    data: z.unknown().optional(),
  }),
  custom: z.looseObject({ kind, data: z.unknown() }),
  channel_inject: z.looseObject({
    channel: z.string().max(200),
    externalId: z.string().max(500),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
};
export type Checked = keyof typeof payloads & keyof Events;

/** Whether events of this type are imported after their payload was validated. */
export function isChecked(type: string): type is Checked {
  return Object.hasOwn(payloads, type);
}

/** Returns the validated payload of an event; undefined when it does not match its type. */
export function payloadOf<T extends Checked>(type: T, record: Json): Events[T] | undefined {
  const checked = payloads[type].safeParse(record);
  if (!checked.success) return undefined;
  const fields = Object.keys(payloads[type].shape).filter((key) => record[key] !== undefined);
  const payload = Object.fromEntries(fields.map((key) => [key, record[key]])) as unknown as Events[T];
  return sound(payload as Json) as unknown as Events[T];
}

/** Returns the descriptive settings. Those that select something, such as a model to use, are chosen here anew. */
export function settingsOf(changes: unknown): Events["session_info"]["changes"] {
  const { name, model, thinkingLevel } = recordIn(changes);
  const told = { name: lineOf(name, 200), model: lineOf(model, 200), thinkingLevel: lineOf(thinkingLevel, 20) };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== ""));
}

/** Limits the numbers in `usage`, which others add up. */
function sound(payload: Json): Json {
  const { message, usage } = payload as { message?: ScorelMessage; usage?: Json };
  if ((message?.role === "assistant" || message?.role === "tool_result") && message.usage)
    return { ...payload, message: { ...message, usage: soundUsage({ ...message.usage }) } };
  return usage === undefined ? payload : { ...payload, usage: soundUsage(usage) };
}

function soundUsage(usage: Json): Json {
  const counts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"].map((key) => [
    key,
    bounded(usage[key], 1e9),
  ]);
  const cost = recordIn(usage.cost);
  const prices = ["input", "output", "cacheRead", "cacheWrite", "total"].map((key) => [key, bounded(cost[key], 1e6)]);
  return { ...usage, ...Object.fromEntries(counts), cost: { ...cost, ...Object.fromEntries(prices) } };
}
