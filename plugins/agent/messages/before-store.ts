import { isDeepStrictEqual } from "node:util";
import type { ToolResultMessage } from "@scorel/messages/contract";
import { assertFields, isObject } from "../calls/answers.ts";
import type { StoreChange, StoreProposal } from "../contract.ts";
import type { Environment } from "../environment.ts";
import { errors } from "../errors.ts";

const hook = "beforeStore";
const wanted =
  "{ content: a text or blocks that fit the message, details? }; a reply keeps the ids and names of its calls";

/**
 * Applies the layers of `beforeStore` to a message. Rejects if a critical layer fails, or if the result is not a valid message. The layers
 * get no signal, because what arrived before an abort must be stored, too.
 */
export async function asStored<M extends StoreProposal["message"]>(env: Environment, message: M): Promise<M> {
  if (env.hooks.beforeStore.layers === 0) return message;
  const { message: changed } = await env.hooks.beforeStore({ message });
  if (!isFor(message, changed.content)) throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
  const { content, details } = changed as { content: unknown; details?: unknown };
  return { ...message, content, ...(message.role === "tool_result" && details !== undefined && { details }) } as M;
}

/** Same as `asStored`, for the result of a call. Never rejects: a result that must not be stored is replaced by a notice. */
export function storable(env: Environment, message: ToolResultMessage): Promise<ToolResultMessage> {
  return asStored(env, message).catch(() => {
    const { details: _details, meta: _meta, ...rest } = message;
    const text = errors.AGENT_NOT_STORED({ what: "The result" }).message;
    return { ...rest, content: [{ type: "text", text }], isError: true };
  });
}

/**
 * Applies the layers of `beforeStore` to a text of another event, in the form of a result of a tool `question`. Rejects if the text must
 * not be stored.
 */
export async function storableText(env: Environment, text: string): Promise<string> {
  if (env.hooks.beforeStore.layers === 0 || text === "") return text;
  const message: ToolResultMessage = {
    role: "tool_result",
    toolCallId: "question",
    toolName: "question",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: Date.now(),
  };
  const { content } = await asStored(env, message);
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** Validates what a layer of `beforeStore` returns. */
export function storeAnswer(answer: unknown): void {
  assertFields(hook, answer, { wanted, fields: ["content", "details"] });
  if (answer.content !== undefined && typeof answer.content !== "string" && !areBlocks(answer.content))
    throw errors.AGENT_HOOK_ANSWER({ hook, wanted });
}

/** Merges a layer's result into the message. A string becomes a block if the message may only have blocks. */
export function joinStored({ message }: StoreProposal, { content, ...change }: StoreChange): StoreProposal {
  const blocks = typeof content === "string" && message.role !== "user" ? [{ type: "text", text: content }] : content;
  return { message: { ...message, ...change, ...(blocks !== undefined && { content: blocks }) } as typeof message };
}

function isFor({ role, content: before }: StoreProposal["message"], content: unknown): boolean {
  if (role === "user" && typeof content === "string") return content.trim() !== "";
  if (!areBlocks(content)) return false;
  if (role === "user") return content.length > 0;
  return role !== "assistant" || isDeepStrictEqual(callsOf(before), callsOf(content));
}

function callsOf(content: unknown): unknown[] {
  if (!areBlocks(content)) return [];
  return content.flatMap(({ type, id, name, arguments: given }) =>
    type === "toolCall" ? [[id, name, isObject(given)]] : [],
  );
}

function areBlocks(content: unknown): content is Record<string, unknown>[] {
  return (
    Array.isArray(content) &&
    content.every(
      (block) =>
        isObject(block) &&
        typeof block.type === "string" &&
        (block.type !== "text" || typeof block.text === "string") &&
        (block.type !== "thinking" || typeof block.thinking === "string") &&
        (block.type !== "image" || (typeof block.data === "string" && typeof block.mimeType === "string")),
    )
  );
}
