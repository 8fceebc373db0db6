import { type EventId, messageOf, type Session } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import type { Compacting, CompactionContext } from "./context.ts";
import type { Compacted } from "./contract.ts";
import { type Conversation, conversationOf, type Entry, materialOf, requestsOutside } from "./conversation.ts";
import { chooseCut, type Room } from "./cut.ts";
import { proposed } from "./propose.ts";
import { bytesPerToken, tokensIn } from "./size.ts";
import { type Summary, type SummaryRequest, summarise } from "./summary.ts";
import { quoted, shortened, wordsOf } from "./transcript.ts";

export interface CompactionRequest {
  reason: "threshold" | "overflow" | "manual";
  signal: AbortSignal;
  /** Tokens of the next request, if already counted. */
  tokens?: number | undefined;
  instructions?: string | undefined;
  messageId?: string | undefined;
  clientId?: string | undefined;
}
interface Plan {
  conversation: Conversation;
  /** Index of the first entry that is kept. */
  at: number;
  /** Tokens of the part that is kept, including skills that are added again after the summary. */
  kept: number;
  /** `summary`: tokens that the summary should have; `most`: tokens that the request for it may have. */
  summary: number;
  most: number;
  window: number;
}

/** Size of a summary: a share of the window, within limits in tokens. */
const summaryShare = 0.08;
const longestSummary = 8_000;
const shortestSummary = 300;
/** Minimum gain of an automatic compaction, as a share of the window. */
const leastGain = 0.05;
/** Share of the size of a refused conversation that the model is assumed to accept. */
const surelyFits = 0.6;
/** Maximum share of the window that a request should fill. */
const fullest = 0.85;
/**
 * How much of the conversation is read to choose a cut, as a multiple of the window. Anything older is summarized
 * anyway.
 */
const looksAt = 1.25;
const requestsTitle = "\n\nWhat the user asked for in the turn that runs, word for word:\n";

/**
 * Replaces the older part of the conversation by a summary. Rejects only on cancel, which leaves the conversation
 * unchanged. The caller must be allowed to append path events.
 */
export async function compact(compacting: Compacting, request: CompactionRequest): Promise<Compacted> {
  const { ctx } = compacting;
  const tokensBefore = request.tokens ?? ctx.agent.contextTokens();
  const plan = planFor(ctx, request.reason, tokensBefore);
  if (!plan) return { compacted: false, tokensBefore, tokensAfter: tokensBefore, note: "There is nothing to compact." };
  const { session } = ctx;
  const by = request.clientId === undefined ? {} : { clientId: request.clientId };
  session.emit("compaction_start", { reason: request.reason, tokens: tokensBefore, window: plan.window });
  try {
    const order = summaryRequestFor(session, plan, request);
    const about = { reason: request.reason, tokens: tokensBefore, window: plan.window };
    const { cancel, ...made } = await proposed(compacting, about, order, request.signal);
    if (cancel !== undefined) {
      if (request.reason !== "manual") compacting.cancelledAt = tokensBefore;
      session.emit("compaction_end", { compacted: false, cancelled: false, note: cancel }, by);
      return { compacted: false, tokensBefore, tokensAfter: tokensBefore, note: cancel };
    }
    const summary = made.summary ?? (await summarise(ctx, made.order, request.signal));
    request.signal.throwIfAborted();
    compacting.cancelledAt = undefined;
    const done = await write(ctx, plan, summary, request, tokensBefore);
    session.emit("compaction_end", { compacted: true, cancelled: false, ...(done.note && { note: done.note }) }, by);
    return done;
  } catch (thrown) {
    const note = request.signal.aborted ? {} : { note: messageOf(thrown) };
    session.emit("compaction_end", { compacted: false, cancelled: request.signal.aborted, ...note }, by);
    throw thrown;
  }
}

function planFor(ctx: CompactionContext, reason: CompactionRequest["reason"], tokensBefore: number): Plan | undefined {
  const { contextWindow: window } = ctx.model.current();
  const tokensOf = (entry: Pick<Entry, "event" | "message">) => sizeOf(ctx, entry);
  const wanted = window > 0 ? { tokens: looksAt * window, tokensOf } : undefined;
  const conversation = conversationOf(ctx.session, ctx.session.activeLeaf, wanted);
  const { entries } = conversation;
  if (reason === "threshold" && conversation.fresh) return undefined;
  const sizes = entries.map((entry) => sizeOf(ctx, entry));
  const real = reason === "overflow" ? Math.min(window, tokensBefore) : window;
  const summary = Math.round(Math.min(longestSummary, Math.max(shortestSummary, summaryShare * real)));
  const room = roomFor(ctx, reason, tokensBefore, summary);
  const at = chooseCut(entries, sizes, reducedBy(room, repeatedSkillTokens(ctx, entries.at(-1))));
  if (at === undefined) return undefined;
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const back = repeatedSkillTokens(ctx, entries[at - 1]);
  // Skills that are added again reduce the gain by no more than the size of plugins' events in the replaced part.
  const ofPlugins = sum(sizes.slice(0, at).filter((_size, index) => !entries[index]?.message));
  const gain = sum(sizes.slice(0, at)) - Math.min(back, ofPlugins);
  if (reason === "threshold" && gain < leastGain * window) return undefined;
  const most = reason === "overflow" ? surelyFits * tokensBefore : window;
  return { conversation, at, kept: sum(sizes.slice(at)) + back, summary, most, window };
}

/** Returns an entry's size in tokens. For events of other plugins, this is what the model reads of them. */
function sizeOf({ agent, session }: CompactionContext, { event, message }: Pick<Entry, "event" | "message">): number {
  if (message) return agent.estimateTokens(message);
  const action = session.asRead(event);
  if (action.action === "merge_prev") return Math.ceil(Buffer.byteLength(action.content) / bytesPerToken);
  return action.action === "include" ? agent.estimateTokens(action.message as ScorelMessage) : 0;
}

/** Tokens of loaded skills that a request repeats after a summary that ends with this entry. */
function repeatedSkillTokens(ctx: CompactionContext, entry: Entry | undefined): number {
  return entry ? Math.ceil((ctx.find("skills")?.returning(entry.event.id) ?? 0) / bytesPerToken) : 0;
}

/** Reduces the limits by the tokens of what is added again, at most to a half. */
function reducedBy({ keep, most, limit }: Room, back: number): Room {
  return { keep: Math.max(keep / 2, keep - back), most: Math.max(most / 2, most - back), limit: limit - back };
}

/**
 * Returns the limits for a compaction. A manual one below the threshold, and one after an overflow, scale them to the
 * current size.
 */
function roomFor(
  { config, agent, model }: CompactionContext,
  reason: CompactionRequest["reason"],
  tokens: number,
  summary: number,
): Room {
  const { contextWindow: window } = model.current();
  const scale = reason === "threshold" ? 1 : Math.min(1, tokens / window);
  const threshold = tokensIn(window, config.threshold) * scale;
  const wanted = tokensIn(window, config.keep) * scale;
  // A window can be smaller than a size in tokens that suits other models.
  const keep = wanted < threshold ? wanted : threshold / 2;
  const most = (keep + threshold) / 2;
  return { keep, most, limit: reason === "overflow" ? most : fullest * window - agent.fixedTokens() - summary };
}

function summaryRequestFor(
  session: Session,
  { conversation, at, summary, most }: Plan,
  { instructions }: CompactionRequest,
): SummaryRequest {
  const { earlier, entries } = materialOf(session, conversation, at);
  // The requests that are quoted below an earlier summary are still in the log, and are quoted again if needed.
  const told = earlier?.split(requestsTitle)[0];
  return { entries, tokens: summary, most, instructions, ...(told !== undefined && { earlier: told }) };
}

async function write(
  ctx: CompactionContext,
  { conversation: { entries }, at, kept, summary: room }: Plan,
  { text, method, model, usage, note }: Summary,
  { messageId, clientId }: CompactionRequest,
  tokensBefore: number,
): Promise<Compacted> {
  const summary =
    text.replaceAll("</summary", "<\\/summary") + quotedRequests(ctx.session, entries.slice(at), room * bytesPerToken);
  const own = ctx.agent.estimateTokens({ role: "user", content: summary, timestamp: 0 });
  const tokensAfter = ctx.agent.fixedTokens() + own + kept;
  const compactedThrough = entries[at - 1]?.event.id as EventId;
  const event = await ctx.session.append(
    "compact",
    {
      summary,
      compactedThrough,
      tokensBefore,
      tokensAfter,
      method,
      ...(model !== undefined && { model }),
      ...(usage && { usage }),
      ...(note !== undefined && { note }),
      ...(messageId !== undefined && { messageId }),
    },
    clientId === undefined ? {} : { clientId },
  );
  return { compacted: true, tokensBefore, tokensAfter, eventId: event.id, ...(note !== undefined && { note }) };
}

/** Quotes the user's requests when a turn is cut in its middle, so that they do not depend on the summary. */
function quotedRequests(session: Session, kept: readonly Entry[], chars: number): string {
  const asked = requestsOutside(session, new Set(kept.map(({ event }) => event.id)));
  const texts = asked.map((message) => quoted(shortened(wordsOf(message), Math.ceil(chars / asked.length))));
  return texts.length === 0 ? "" : requestsTitle + texts.join("\n>\n");
}
