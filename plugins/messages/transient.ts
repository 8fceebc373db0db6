import {
  type DisplayAction,
  ScorelError,
  type TransientDefinition,
  type TransientOf,
  type Transients,
} from "@scorel/kernel";
import { z } from "zod";
import { displayCall } from "./display.ts";
import { displayFailure, failure } from "./failure.ts";
import { endedCall, endedRound } from "./listened.ts";
import { usage } from "./message.ts";

const id = z.string();

type InFlight = NonNullable<TransientDefinition["inFlight"]>;

/** Defines a transient event type: its schema and optional converters. */
function transient<T extends keyof Transients>(
  schema: z.ZodType<Transients[T]>,
  more: Omit<TransientDefinition<Transients[T]>, "schema" | "transient"> = {},
): TransientDefinition<Transients[T]> {
  return { transient: true, schema, ...more };
}

/** Fast validation without a schema, since a reply has thousands of deltas. */
function quickDelta(payload: Transients["text_delta"]): Transients["text_delta"] | undefined {
  const { eventId, delta, ...others } = payload;
  const fits = typeof eventId === "string" && typeof delta === "string" && Object.keys(others).length === 0;
  return fits ? { eventId, delta } : undefined;
}

function quickThinking(payload: Transients["thinking_delta"]): Transients["thinking_delta"] | undefined {
  const { blockIndex, ...text } = payload;
  const fields = Number.isFinite(blockIndex) ? quickDelta(text) : undefined;
  return fields && { ...fields, blockIndex };
}

function quickCall(payload: Transients["tool_call_delta"]): Transients["tool_call_delta"] | undefined {
  const { toolCallId, ...text } = payload;
  const fields = typeof toolCallId === "string" ? quickDelta(text) : undefined;
  return fields && { eventId: fields.eventId, toolCallId, delta: fields.delta };
}

function presence(text: string): DisplayAction {
  return { display: "notice", level: "info", text: `(${text})` };
}

const turn: InFlight = { work: "turn" };
const round: InFlight = { work: "round" };
/** An arriving message, under the id that it will have in the log. */
const message: InFlight = { work: "message", id: "eventId" };
const call: InFlight = { work: "call", id: "toolCallId" };

const streamed = {
  message_start: transient<"message_start">(
    z.strictObject({
      eventId: id,
      parentId: id.nullable(),
      role: z.enum(["assistant", "tool_result"]),
      model: z.string().optional(),
    }),
    { inFlight: message },
  ),
  text_delta: transient<"text_delta">(z.strictObject({ eventId: id, delta: z.string() }), {
    quick: quickDelta,
    inFlight: { ...message, effect: "append", text: "delta" },
  }),
  thinking_delta: transient<"thinking_delta">(
    z.strictObject({ eventId: id, delta: z.string(), blockIndex: z.number() }),
    { quick: quickThinking, inFlight: { ...message, effect: "append", text: "delta", block: "blockIndex" } },
  ),
  tool_call_delta: transient<"tool_call_delta">(
    z.strictObject({ eventId: id, toolCallId: id, toolName: z.string().optional(), delta: z.string() }),
    { quick: quickCall, inFlight: { ...message, effect: "append", text: "delta", block: "toolCallId" } },
  ),
  message_cancelled: transient<"message_cancelled">(
    z.strictObject({ eventId: id, reason: z.enum(["user_cancel", "error", "max_tokens"]) }),
    { inFlight: { ...message, effect: "end" } },
  ),
};

const tools = {
  tool_execution_start: transient<"tool_execution_start">(
    z.strictObject({ eventId: id, parentId: id, toolCallId: id, toolName: z.string(), args: z.unknown() }),
    {
      inFlight: call,
      convertToDisplay: (event: TransientOf<"tool_execution_start">, context) =>
        displayCall(event.toolName, event.args, undefined, context),
    },
  ),
  tool_execution_state: transient<"tool_execution_state">(
    z.strictObject({ eventId: id, toolCallId: id, state: z.enum(["waiting", "running"]) }),
    { inFlight: { ...call, effect: "replace" } },
  ),
  tool_execution_update: transient<"tool_execution_update">(
    z.strictObject({ eventId: id, toolCallId: id, partial: z.unknown() }),
    {
      inFlight: { ...call, effect: "replace" },
      toListener: (event: TransientOf<"tool_execution_update">) => ({ partialResult: event.partial }),
    },
  ),
  tool_execution_end: transient<"tool_execution_end">(
    z.strictObject({
      eventId: id,
      toolCallId: id,
      toolName: z.string(),
      durationMs: z.number(),
      isError: z.boolean(),
    }),
    { inFlight: { ...call, effect: "end" }, toListener: endedCall },
  ),
};

const lifecycle = {
  turn_start: transient<"turn_start">(z.strictObject({ turnIndex: z.number() }), { inFlight: round }),
  turn_end: transient<"turn_end">(
    z.strictObject({
      turnIndex: z.number(),
      usage: usage.optional(),
      stopReason: z.string().optional(),
      messageId: id.optional(),
      resultIds: z.array(id).optional(),
    }),
    { inFlight: { ...round, effect: "end" }, toListener: endedRound },
  ),
  runtime_start: transient<"runtime_start">(z.strictObject({}), { inFlight: turn }),
  runtime_end: transient<"runtime_end">(
    z.strictObject({
      error: z.string().optional(),
      reason: z.enum(["completed", "cancelled", "error"]),
      cancelledBy: id.optional(),
      hostStopped: z.boolean().optional(),
    }),
    { inFlight: { ...turn, effect: "end" } },
  ),
  session_start: transient<"session_start">(z.strictObject({})),
  session_abandoned: transient<"session_abandoned">(z.strictObject({})),
  client_joined: transient<"client_joined">(z.strictObject({ name: z.string() }), {
    convertToDisplay: ({ name }: TransientOf<"client_joined">) => presence(`${name} is here, too`),
  }),
  client_left: transient<"client_left">(z.strictObject({ name: z.string() }), {
    convertToDisplay: ({ name }: TransientOf<"client_left">) => presence(`${name} has left`),
  }),
  session_end: transient<"session_end">(z.strictObject({ reason: z.string() })),
  prompt_submit: transient<"prompt_submit">(z.strictObject({ prompt: z.string() })),
  turn_finish: transient<"turn_finish">(z.strictObject({ usage, duration: z.number() })),
  turn_error: transient<"turn_error">(z.strictObject({ error: failure, eventId: id.optional() }), {
    convertToDisplay: ({ error, eventId }: TransientOf<"turn_error">) =>
      eventId === undefined ? displayFailure(error) : { display: "hidden" },
    toListener: (event: TransientOf<"turn_error">) => ({
      error: new ScorelError(event.error.code, event.error.message),
    }),
  }),
};

/** The transient event types: streaming, tools and turns. */
export const transients = { ...streamed, ...tools, ...lifecycle };
