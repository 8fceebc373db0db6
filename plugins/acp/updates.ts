import type { ContentBlock, PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import type { Delivered } from "@scorel/host/contract";
import type { DisplayAction } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage, ToolCallBlock, UserMessage } from "@scorel/messages/contract";
import { Calls, TODOS } from "./calls.ts";
import { cleanText } from "./clean.ts";
import { Replies } from "./replies.ts";
import { argsOf } from "./tool-calls.ts";

/** Fields of an event. Each is checked before it is used. */
// biome-ignore lint/suspicious/noExplicitAny: events of plugins may have any form
type Fields = Record<string, any>;

/** Converts the events of a session into updates for the editor. */
export class Updates {
  readonly calls: Calls;
  private readonly replies = new Replies();
  /** Arguments of the calls that write the plan, by call id. */
  private readonly plans = new Map<string, unknown>();

  constructor(cwd: string) {
    this.calls = new Calls(cwd);
  }

  /** The updates for an event. `isOwn`: the editor has sent the message itself, and already shows it. */
  take({ event, display }: Delivered, isOwn = false): SessionUpdate[] {
    const fields = event as unknown as Fields;
    const { eventId, toolCallId } = fields;
    switch (event.type) {
      case "missed":
        this.replies.miss();
        return [];
      case "message_start":
        if (fields.role === "assistant") this.replies.start(eventId);
        return [];
      case "text_delta":
        return chunk("agent_message_chunk", eventId, this.replies.add(eventId, "text", textIn(fields.delta)));
      case "thinking_delta":
        return chunk("agent_thought_chunk", eventId, this.replies.add(eventId, "thinking", textIn(fields.delta)));
      case "message_cancelled":
        this.replies.drop(eventId);
        return [];
      case "tool_execution_start":
        if (fields.toolName === TODOS) this.plans.set(toolCallId, fields.args);
        return this.calls.started(toolCallId, textIn(fields.toolName), fields.args, display);
      case "tool_execution_state":
        return this.calls.changed(toolCallId, fields.state === "waiting" ? "pending" : "in_progress");
      case "tool_execution_update":
        return this.calls.progress(toolCallId, fields.partial);
      case "runtime_end":
        return this.calls.closed();
      case "message":
        return this.message(fields.id, fields.message as ScorelMessage, display, isOwn);
      default:
        return [];
    }
  }

  private message(id: string, message: ScorelMessage, display: DisplayAction, isOwn: boolean): SessionUpdate[] {
    if (message.role === "user") return isOwn ? [] : said(id, message);
    if (message.role === "assistant") return this.replied(id, message);
    if (message.role !== "tool_result") return [];
    const plan = message.toolName === TODOS && !message.isError ? this.planOf(message.toolCallId, message.details) : [];
    this.plans.delete(message.toolCallId);
    return [...this.calls.ended(message, display), ...plan];
  }

  private replied(id: string, { content }: AssistantMessage): SessionUpdate[] {
    const whole = { text: "", thinking: "" };
    const calls: ToolCallBlock[] = [];
    for (const block of content) {
      if (block.type === "text") whole.text += block.text;
      else if (block.type === "thinking") whole.thinking += block.thinking;
      else calls.push(block);
    }
    const rest = this.replies.end(id, whole);
    for (const call of calls) if (call.name === TODOS) this.plans.set(call.id, call.arguments);
    return [
      ...chunk("agent_thought_chunk", id, rest.thinking),
      ...chunk("agent_message_chunk", id, rest.text),
      ...calls.flatMap((call) => this.calls.written(call)),
    ];
  }

  /** The steps as written by the call: the stored list is empty if all steps are completed. */
  private planOf(toolCallId: string, details: unknown): SessionUpdate[] {
    const written = argsOf(this.plans.get(toolCallId)).todos ?? argsOf(details).todos;
    return Array.isArray(written) ? [{ sessionUpdate: "plan", entries: written.flatMap(entryOf) }] : [];
  }
}

const STATES: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

function entryOf(step: unknown): PlanEntry[] {
  const { content, status } = argsOf(step);
  if (typeof content !== "string" || !STATES.has(status)) return [];
  return [{ content: cleanText(content), status: status as PlanEntry["status"], priority: "medium" }];
}

/** A message of another client, or from before the session was loaded. */
function said(messageId: string, { content }: UserMessage): SessionUpdate[] {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return blocks
    .filter((block) => (block as { attachment?: unknown }).attachment !== true)
    .map((block) => ({
      sessionUpdate: "user_message_chunk",
      messageId,
      content: block.type === "text" ? { type: "text", text: cleanText(block.text) } : imageOf(block),
    }));
}

function imageOf({ data, mimeType }: { data: string; mimeType: string }): ContentBlock {
  return { type: "image", data, mimeType };
}

function chunk(
  sessionUpdate: "agent_message_chunk" | "agent_thought_chunk",
  messageId: string,
  text: string,
): SessionUpdate[] {
  return text === "" ? [] : [{ sessionUpdate, messageId, content: { type: "text", text } }];
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
