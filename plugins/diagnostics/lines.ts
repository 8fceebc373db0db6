import type {} from "@scorel/agent/contract";
import type { AnyEvent, EventOf, Events, Transients } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage } from "@scorel/messages/contract";

/** A line of the readable log, without text of the conversation. */
export interface Line {
  level: "info" | "warn" | "error";
  text: string;
}
type Rows = {
  [T in keyof Transients | keyof Events]?: (
    event: T extends keyof Events ? EventOf<T> : T extends keyof Transients ? Transients[T] : never,
  ) => Line | undefined;
};

/** Returns the line for an event; undefined for events that are not logged. */
export function lineOf(event: AnyEvent): Line | undefined {
  const row = rows[event.type as keyof Rows] as ((event: unknown) => Line | undefined) | undefined;
  return row?.(event);
}

const info = (text: string): Line => ({ level: "info", text });
const warn = (text: string): Line => ({ level: "warn", text });
const error = (text: string): Line => ({ level: "error", text });

const rows: Rows = {
  session_start: () => info("session opened"),
  session_end: ({ reason }) => info(`session ${reason}`),
  session_info: ({ changes: { model, thinkingLevel } }) => {
    const changed = [model && `model ${model}`, thinkingLevel && `thinking ${thinkingLevel}`].filter(Boolean);
    return changed.length > 0 ? info(changed.join(", ")) : undefined;
  },
  runtime_start: () => info("turn begins"),
  turn_finish: ({ usage, duration }) =>
    info(`turn used ${usage.totalTokens} tokens, $${usage.cost.total.toFixed(4)}, ${duration} ms`),
  turn_error: ({ error: { code, message } }) => error(`turn failed: ${code}: ${message}`),
  runtime_end: ({ reason }) => info(`turn ${reason}`),
  turn_end: ({ turnIndex, usage, stopReason }) =>
    info(`round ${turnIndex + 1} ended: ${stopReason ?? "no reply"}${usage ? `, ${usage.totalTokens} tokens` : ""}`),
  tool_execution_end: ({ toolName, durationMs, isError }) =>
    info(`tool ${toolName} ${isError ? "failed" : "ended"} after ${durationMs} ms`),
  message: ({ message }) => failedReply(message),
  message_cancelled: ({ reason }) => warn(`a reply ended before it had any text: ${reason}`),
  retry_start: ({ attempt, of, delayMs, reason }) => warn(`retry ${attempt} of ${of} in ${delayMs} ms: ${reason}`),
  retry_end: ({ attempt, cancelled }) => (cancelled ? warn(`retry ${attempt} cancelled`) : undefined),
  rewind: ({ targetEventId }) => info(`went back to ${targetEventId}`),
  branch: ({ leafEventId }) => info(`went to the branch that ends in ${leafEventId}`),
  compact: ({ tokensBefore, tokensAfter }) => info(`compacted from ${tokensBefore} to ${tokensAfter} tokens`),
  epoch: ({ reason, damage }) => error(`the log lost bytes: ${reason} (${damage.length} places)`),
  storage_status: ({ error: reason }) =>
    reason === undefined ? info("the log can be written again") : error(`the log cannot be written: ${reason}`),
  plugin_failure: ({ plugin, where, code, message, at }) => {
    const told = `${code}: ${message}${at === undefined ? "" : ` (${at})`}`;
    return where === "" ? warn(`plugin ${plugin}: ${told}`) : error(`plugin ${plugin} failed in ${where}: ${told}`);
  },
};

/** Logs a reply that failed or was cut, without its text. */
function failedReply(message: ScorelMessage): Line | undefined {
  if (message.role !== "assistant") return undefined;
  const { errorMessage, partial, model, provider } = message as AssistantMessage;
  if (errorMessage !== undefined) return warn(`${provider}/${model}: ${errorMessage}`);
  return partial ? warn(`${provider}/${model}: the reply ended early; what had arrived is kept`) : undefined;
}
