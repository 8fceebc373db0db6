import { type EventId, isEvent, type LlmAction, type Session, type StoredEvent } from "@scorel/kernel";
import { tokensOf } from "@scorel/kit/session/usage";
import type { AssistantMessage, ScorelMessage } from "@scorel/messages/contract";

/** Average for UTF-8 text. In scripts with three-byte characters, each character is about one token. */
const bytesPerToken = 4;
const tokensPerImage = 1_200;

/**
 * The last count of each session and the leaf it was made at, so that only later events are read. Only counts based on
 * a reported usage are kept.
 */
const lastCounts = new WeakMap<Session, { leaf: EventId | null; tokens: number }>();

/**
 * Tokens of the next request: the usage of the last complete reply plus an estimate of later messages. After a
 * compaction, and before the first reply, everything is estimated, including `fixed`, which every request carries.
 * Counting stops above `most`.
 */
export function contextTokens(session: Session, fixed: () => number, most = Number.POSITIVE_INFINITY): number {
  let after = 0;
  let isAll = true;
  let isFinal = true;
  const { activeLeaf, tree } = session;
  const known = lastCounts.get(session);
  const total = (tokens: number) => {
    if (isFinal) lastCounts.set(session, { leaf: activeLeaf, tokens });
    return tokens;
  };
  for (const event of activeLeaf === null ? [] : tree.ancestors(activeLeaf)) {
    if (after > most) break;
    if (event.id === known?.leaf) return total(known.tokens + after);
    const message = messageOf(event);
    if (!message) {
      const action = session.asRead(event);
      isFinal = false;
      isAll = action.action !== "barrier";
      if (!isAll) break;
      after += addedTokens(action);
      continue;
    }
    if (isWhole(message)) return total(tokensOf(message.usage) + after);
    after += estimateTokens(message);
  }
  // All messages were already counted above, so a long conversation need not be read again.
  if (isAll) return after + fixed();
  const messages = session.buildContext();
  return messages.reduce((sum, message) => sum + estimateTokens(message), fixed());
}

/** Estimates a text's tokens. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/**
 * Cached estimates by message. Stored messages never change, and without a reported usage all of them are counted before each request.
 */
const counted = new WeakMap<ScorelMessage, number>();

/** Estimates a message's tokens: four bytes per token, a fixed number per image. */
export function estimateTokens(message: ScorelMessage): number {
  const known = counted.get(message);
  if (known !== undefined) return known;
  const tokens = countTokens(message);
  if (Object.isFrozen(message)) counted.set(message, tokens);
  return tokens;
}

function countTokens(message: ScorelMessage): number {
  if (message.role === "internal") return 0;
  if (typeof message.content === "string") return textTokens(message.content);
  let images = 0;
  let bytes = 0;
  for (const block of message.content)
    if (block.type === "image") images++;
    else bytes += blockBytes(block as Record<string, unknown> & { type: string });
  return Math.ceil(bytes / bytesPerToken) + images * tokensPerImage;
}

function blockBytes(block: Record<string, unknown> & { type: string }): number {
  if (block.type === "toolCall") return Buffer.byteLength(String(block.name) + JSON.stringify(block.arguments));
  return Buffer.byteLength(String(block.text ?? block.thinking ?? ""));
}

/** Estimates the tokens that an event of another type adds to the request. */
function addedTokens(action: LlmAction): number {
  if (action.action === "include") return estimateTokens(action.message as ScorelMessage);
  return action.action === "merge_prev" ? textTokens(action.content) : 0;
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  return isEvent(event, "message") || isEvent(event, "custom_message") ? event.message : undefined;
}

function isWhole(message: ScorelMessage): message is AssistantMessage {
  return message.role === "assistant" && !message.partial && tokensOf(message.usage) > 0;
}
