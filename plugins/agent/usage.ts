import type { EventId, EventOf, LlmAction, Session, StoredEvent } from "@scorel/kernel";
import type { AssistantMessage, ScorelMessage, Usage } from "@scorel/messages/contract";

/** Of UTF-8: scripts whose characters take three bytes are dense, about a token for each. */
const bytesPerToken = 4;
const tokensPerImage = 1_200;

/** Nothing used yet. */
export function noUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** More than any reply has used: a larger number is no count. */
const mostUsed = 1e10;

/** Usage as it can be, whatever a provider or an adapter made of it; a reply is not lost because nobody counted it. */
export function soundUsage(usage: unknown): Usage {
  const none = noUsage();
  const given = isRecord(usage) ? usage : {};
  const cost = isRecord(given.cost) ? given.cost : {};
  return { ...given, ...soundNumbers(none, given), cost: { ...cost, ...soundNumbers(none.cost, cost) } } as Usage;
}

function soundNumbers(wanted: object, given: Record<string, unknown>): Record<string, number> {
  const numbers = Object.keys(wanted).filter((key) => key !== "cost");
  return Object.fromEntries(numbers.map((key) => [key, soundNumber(given[key])]));
}

function soundNumber(value: unknown): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && number > 0 && number <= mostUsed ? number : 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Two usages as one. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    totalTokens: a.totalTokens + b.totalTokens,
    cost: {
      input: a.cost.input + b.cost.input,
      output: a.cost.output + b.cost.output,
      cacheRead: a.cost.cacheRead + b.cost.cacheRead,
      cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
      total: a.cost.total + b.cost.total,
    },
  };
}

/** Tokens the request and its reply held together; not `totalTokens`, which some providers count differently. */
export function tokensOf(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** The last count of each session and the leaf it was made at, so that only later events are read. Only counts that start from a usage told by the provider are kept. */
const lastCounts = new WeakMap<Session, { leaf: EventId | null; tokens: number }>();

/**
 * Tokens the next request holds: what the last whole reply reported, plus an estimate of the messages
 * after it. A reply from before the last compaction says nothing about the context now, so then (and
 * before the first reply) everything is estimated; `fixed` is what goes with every request. Nothing is counted any
 * more once there are more than `most`.
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
  // A long conversation is not read a second time when all of it was counted on the way.
  if (isAll) return after + fixed();
  const messages = session.buildContext();
  return messages.reduce((sum, message) => sum + estimateTokens(message), fixed());
}

/** A rough count of a text's tokens. */
export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Stored messages never change, and are counted again before every request where a server tells no usage. */
const counted = new WeakMap<ScorelMessage, number>();

/** A rough count: four bytes a token, an image as a fixed number. */
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

/** What any other event adds to what a model reads, as its plugin has it. */
function addedTokens(action: LlmAction): number {
  if (action.action === "include") return estimateTokens(action.message as ScorelMessage);
  return action.action === "merge_prev" ? textTokens(action.content) : 0;
}

function messageOf(event: StoredEvent): ScorelMessage | undefined {
  return event.type === "message" || event.type === "custom_message"
    ? (event as EventOf<"message">).message
    : undefined;
}

function isWhole(message: ScorelMessage): message is AssistantMessage {
  return message.role === "assistant" && !message.partial && tokensOf(message.usage) > 0;
}
