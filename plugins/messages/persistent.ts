import type { EventDefinition, EventId, EventOf, Events } from "@scorel/kernel";
import { z } from "zod";
import type { ScorelMessage, SessionMeta } from "./contract.ts";
import { displayCustomMessage, displayInfo, displayMessage } from "./display.ts";
import { displayFailure, failure } from "./failure.ts";
import { harnessItem } from "./harness-item.ts";
import { message, usage } from "./message.ts";
import { messageToLlm } from "./reminder.ts";

type Definition<T extends keyof Events> = EventDefinition<Events[T]>;

const fields = z.record(z.string(), z.unknown());
const id = z.string().min(1);

/** Keeps the active leaf, for side events. */
const stay = (_event: unknown, current: EventId | null) => current;

const messageEvent: Definition<"message"> = {
  schema: z.strictObject({ message }),
  durable: (event: EventOf<"message">) => isDurable(event.message),
  inFlight: { work: "message", id: "id", effect: "end" },
  // A retried attempt is a side event, so the model never reads it.
  leaf: (event: EventOf<"message">, current) => (event.message.meta?.retried ? current : event.id),
  leafReads: '"retried"',
  convertToLlm: (event: EventOf<"message">) => messageToLlm(event.message),
  convertToDisplay: (event: EventOf<"message">, context) => displayMessage(event.message, event, context),
};

const rewind: Definition<"rewind"> = {
  schema: z.strictObject({ targetEventId: id.nullable() }),
  leaf: (event: EventOf<"rewind">) => event.targetEventId,
  convertToDisplay: (event: EventOf<"rewind">) => ({
    display: "marker",
    text: event.targetEventId === null ? "Went back to the start" : "Went back to here",
    ...(event.targetEventId !== null && { target: event.targetEventId }),
  }),
  toListener: (event: EventOf<"rewind">) => ({ targetId: event.targetEventId }),
};

const branch: Definition<"branch"> = {
  schema: z.strictObject({ leafEventId: id }),
  leaf: (event: EventOf<"branch">) => event.leafEventId,
  convertToDisplay: (event: EventOf<"branch">) => ({
    display: "marker",
    text: "Switched to another branch",
    target: event.leafEventId,
  }),
};

const compact: Definition<"compact"> = {
  schema: z.strictObject({
    summary: z.string(),
    compactedThrough: id,
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    method: z.enum(["model", "extract", "plugin"]).optional(),
    model: z.string().optional(),
    usage: usage.optional(),
    note: z.string().optional(),
    messageId: z.string().optional(),
  }),
  barrier: true,
  convertToLlm: (event: EventOf<"compact">) => ({
    action: "barrier",
    summary: summaryMessage(event),
    after: event.compactedThrough,
  }),
  convertToDisplay: (event: EventOf<"compact">) => ({
    display: "fold",
    title: `Compacted${event.method === "extract" ? " without the model" : ""}: ${event.tokensBefore} → ${event.tokensAfter} tokens`,
    text: event.summary,
  }),
};

const channelInject: Definition<"channel_inject"> = {
  schema: z.strictObject({ channel: z.string(), externalId: z.string(), metadata: fields.optional() }),
  leaf: stay,
  convertToDisplay: (event: EventOf<"channel_inject">) => ({
    display: "badge",
    text: `from ${event.channel.slice(0, 1).toUpperCase()}${event.channel.slice(1)}`,
  }),
};

const sessionInfo: Definition<"session_info"> = {
  schema: z.strictObject({ changes: fields as z.ZodType<Partial<SessionMeta>> }),
  leaf: stay,
  copied: "all",
  convertToDisplay: (event: EventOf<"session_info">) => displayInfo(event.changes),
};

const custom: Definition<"custom"> = {
  schema: z.strictObject({ kind: z.string().min(1), data: z.unknown() }),
  leaf: stay,
  copied: "beside",
  convertToDisplay: (event: EventOf<"custom">, context) => {
    if (isHidden(event.data)) return { display: "hidden" };
    return context.find("customDisplay")?.(event) ?? { display: "notice", level: "info", text: `[${event.kind}]` };
  },
};

const customMessage: Definition<"custom_message"> = {
  schema: z.strictObject({ kind: z.string().min(1), message, data: z.unknown().optional() }),
  convertToLlm: (event: EventOf<"custom_message">) =>
    event.message.role === "internal" ? { action: "skip" } : { action: "include", message: event.message },
  convertToDisplay: (event: EventOf<"custom_message">, context) =>
    context.find("customDisplay")?.(event) ?? displayCustomMessage(event, context),
};

const turnFailed: Definition<"turn_failed"> = {
  schema: z.strictObject({ error: failure }),
  convertToDisplay: ({ error }: EventOf<"turn_failed">) => displayFailure(error),
};

/** The persistent event types. */
export const persistent = {
  message: messageEvent,
  rewind,
  branch,
  compact,
  channel_inject: channelInject,
  session_info: sessionInfo,
  custom,
  custom_message: customMessage,
  harness_item: harnessItem,
  turn_failed: turnFailed,
};

/** A user's message and a reply with tool calls must survive a power loss before they are announced. */
function isDurable(of: ScorelMessage): boolean {
  return of.role === "user" || (of.role === "assistant" && of.content.some((block) => block.type === "toolCall"));
}

/** True when a plugin marks its data as bookkeeping. */
function isHidden(data: unknown): boolean {
  return (data as { hidden?: unknown } | null | undefined)?.hidden === true;
}

function summaryMessage(event: EventOf<"compact">): ScorelMessage {
  const content = `The conversation up to here was replaced by this summary:\n\n<summary>\n${event.summary}\n</summary>`;
  return { role: "user", content, timestamp: event.ts };
}
