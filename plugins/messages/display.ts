import { type ConvertContext, type DisplayAction, type EventOf, isEvent, type StoredEvent } from "@scorel/kernel";
import { beginningOf } from "@scorel/kit/text/cut";
import { saidNo } from "@scorel/kit/text/refusal";
import type {} from "@scorel/tools/contract";
import type {
  ArgumentChange,
  AssistantMessage,
  ScorelMessage,
  SessionMeta,
  ToolCallBlock,
  ToolResultMessage,
} from "./contract.ts";
import { mentionLine } from "./mention-line.ts";
import { textOf } from "./message.ts";

const labels = { steer: "steered", followUp: "follow-up" };
const titleWidth = 80;

/** Renders a message: a bubble, a card for a tool's result, or a notice for an internal message. */
export function displayMessage(
  message: ScorelMessage,
  at: { parentId: string | null },
  context: ConvertContext,
): DisplayAction {
  if (message.role === "internal") return { display: "notice", level: "info", text: message.content };
  if (message.role === "tool_result") {
    const call = callOf(message.toolCallId, at.parentId, context);
    const change = message.meta?.arguments;
    const shown = displayCall(message.toolName, changed(call?.arguments, change), message, context);
    return displayRefusal(shown, message.meta?.refused);
  }
  if (message.role === "assistant") return displayAssistant(message);
  const label = message.meta?.source && labels[message.meta.source];
  const text = [textOf(message), ...(message.meta?.mentions ?? []).map(mentionLine)].join("\n");
  return { display: "bubble", role: "user", text, ...(label && { label }) };
}

/** Renders an extension's message like any other, labelled with its kind. */
export function displayCustomMessage(event: EventOf<"custom_message">, context: ConvertContext): DisplayAction {
  const shown = displayMessage(event.message, event, context);
  return shown.display === "bubble" ? { ...shown, label: event.kind } : shown;
}

/** Renders a change of settings, a line each. */
export function displayInfo(changes: Partial<SessionMeta>): DisplayAction {
  const { chosenModel: _told, ...shown } = changes;
  const lines = Object.entries(shown).map(([key, value]) => infoLine(key, value));
  return lines.length === 0 ? { display: "hidden" } : { display: "notice", level: "info", text: lines.join("; ") };
}

/** Summarizes a tool call in one line: its name and first string argument. */
function callTitle(name: string, args: unknown): string {
  const first = Object.values((args ?? {}) as Record<string, unknown>).find((value) => typeof value === "string");
  const line = first === undefined ? name : `${name} ${String(first).replace(/\s+/g, " ")}`;
  return line.length > titleWidth ? `${beginningOf(line, titleWidth - 1)}…` : line;
}

function displayAssistant(message: AssistantMessage): DisplayAction {
  const text = textOf(message);
  const thinking = message.content.map((block) => (block.type === "thinking" ? block.thinking : "")).join("");
  // Tool calls are rendered with their results.
  if (text === "" && thinking === "") return { display: "hidden" };
  return {
    display: "bubble",
    role: "assistant",
    text,
    ...(thinking && { thinking }),
    ...(message.partial && { partial: true, ...(message.stopReason === "aborted" && { interrupted: true }) }),
    ...(message.meta?.retried && { label: "retried" }),
  };
}

/** Renders a call with its tool, with or without a result; generically when no tools are loaded. */
export function displayCall(
  name: string,
  args: unknown,
  result: ToolResultMessage | undefined,
  context: ConvertContext,
): DisplayAction {
  const tools = context.find("tools");
  if (tools) return tools.display(name, args ?? {}, result, result?.meta?.arguments !== undefined);
  const status = result === undefined ? "running" : result.isError ? "error" : "done";
  return { display: "card", title: callTitle(name, args), status, text: result ? textOf(result) : "" };
}

/** Replaces the text of a refused call, which is for the model, with one for the person who refused it. */
function displayRefusal(shown: DisplayAction, refused: { reason?: string } | undefined): DisplayAction {
  return refused && shown.display === "card" ? { ...shown, text: saidNo(refused.reason) } : shown;
}

/** Returns the arguments that the tool got. */
function changed(written: Record<string, unknown> = {}, change: ArgumentChange = {}): Record<string, unknown> {
  const { set = {}, unset = [] } = change;
  const kept = Object.entries(written).filter(([key]) => !unset.includes(key));
  return { ...Object.fromEntries(kept), ...set };
}

/** The last assistant message at or above each event, or null if there is none, cached so that each of many results takes one step. */
const repliesAbove = new WeakMap<StoredEvent, AssistantMessage | null>();
/** The calls of each reply, by id. */
const callsById = new WeakMap<AssistantMessage, Map<string, ToolCallBlock>>();

/** Finds the call of a result, in the last assistant message above it. */
function callOf(id: string, parentId: string | null, context: ConvertContext): ToolCallBlock | undefined {
  const reply = replyAbove(parentId, context);
  return reply && callsOf(reply).get(id);
}

function replyAbove(id: string | null, context: ConvertContext): AssistantMessage | undefined {
  const passed: StoredEvent[] = [];
  let reply: AssistantMessage | null | undefined;
  for (let event = lookUp(id, context); event && reply === undefined; event = lookUp(event.parentId, context)) {
    passed.push(event);
    reply = repliesAbove.get(event);
    if (reply === undefined) reply = replyIn(event) ?? (event.parentId === null ? null : undefined);
  }
  if (reply !== undefined) for (const event of passed) repliesAbove.set(event, reply);
  return reply ?? undefined;
}

function replyIn(event: StoredEvent): AssistantMessage | undefined {
  const message = isEvent(event, "message") ? event.message : undefined;
  return message?.role === "assistant" ? message : undefined;
}

function callsOf(reply: AssistantMessage): Map<string, ToolCallBlock> {
  const known = callsById.get(reply);
  if (known) return known;
  const calls = new Map<string, ToolCallBlock>();
  for (const block of reply.content)
    if (block.type === "toolCall" && !calls.has(block.id as string))
      calls.set(block.id as string, block as ToolCallBlock);
  callsById.set(reply, calls);
  return calls;
}

function lookUp(id: string | null, context: ConvertContext) {
  return id === null ? undefined : context.get(id);
}

function infoLine(key: string, value: unknown): string {
  if (key === "model") return `Model switched to ${value}`;
  if (key === "name") return `Session renamed to ${value}`;
  if (key === "archived") return value === true ? "Session archived" : "Session taken out of the archive";
  if (key === "thinkingLevel") return `Thinking: ${value}`;
  return `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}
