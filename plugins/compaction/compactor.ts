import { type EventId, messageOf, type Session } from "@scorel/kernel";
import type { ScorelMessage } from "@scorel/messages/contract";
import type { CompactionContext } from "./context.ts";
import type { Compacted } from "./contract.ts";
import { type Conversation, conversationOf, type Entry, materialOf, requestsOutside } from "./conversation.ts";
import { chooseCut, type Room } from "./cut.ts";
import { bytesPerToken, tokensIn } from "./size.ts";
import { type Order, type Summary, summarise } from "./summary.ts";
import { quoted, shortened, wordsOf } from "./transcript.ts";

export interface Wish {
  reason: "threshold" | "overflow" | "manual";
  signal: AbortSignal;
  /** Of the next request, when they were counted already. */
  tokens?: number | undefined;
  instructions?: string | undefined;
  messageId?: string | undefined;
  clientId?: string | undefined;
}
interface Plan {
  conversation: Conversation;
  /** The first entry that stays. */
  at: number;
  /** Tokens of what stays, and of what is put behind the summary again. */
  kept: number;
  /** Tokens the summary should take, and the request for it may hold. */
  summary: number;
  most: number;
  window: number;
}

/** Of the window, and in tokens. */
const summaryShare = 0.08;
const longestSummary = 8_000;
const shortestSummary = 300;
/** What a compaction must take away, as a share of the window, to be worth its price when nobody asked for it. */
const leastGain = 0.05;
/** Of a conversation that was refused as too long: what a request may hold that will not be. */
const surelyFits = 0.6;
/** The share of a window that no request should exceed. */
const fullest = 0.85;
/** So many times what the model can read is looked at to choose a cut: the rest is given up in any case. */
const looksAt = 1.25;
const requestsTitle = "\n\nWhat the user asked for in the turn that runs, word for word:\n";

/**
 * Puts a summary in the place of the older part of the conversation. Only cancelling rejects, and leaves it as it was; a
 * path event must be allowed now.
 */
export async function compact(ctx: CompactionContext, wish: Wish): Promise<Compacted> {
  const tokensBefore = wish.tokens ?? ctx.agent.contextTokens();
  const plan = planFor(ctx, wish.reason, tokensBefore);
  if (!plan) return { compacted: false, tokensBefore, tokensAfter: tokensBefore, note: "There is nothing to compact." };
  const { session } = ctx;
  const by = wish.clientId === undefined ? {} : { clientId: wish.clientId };
  session.emit("compaction_start", { reason: wish.reason, tokens: tokensBefore, window: plan.window });
  try {
    const summary = await summarise(ctx, orderFor(session, plan, wish), wish.signal);
    wish.signal.throwIfAborted();
    const done = await write(ctx, plan, summary, wish, tokensBefore);
    session.emit("compaction_end", { compacted: true, cancelled: false, ...(done.note && { note: done.note }) }, by);
    return done;
  } catch (thrown) {
    const note = wish.signal.aborted ? {} : { note: messageOf(thrown) };
    session.emit("compaction_end", { compacted: false, cancelled: wish.signal.aborted, ...note }, by);
    throw thrown;
  }
}

function planFor(ctx: CompactionContext, reason: Wish["reason"], tokensBefore: number): Plan | undefined {
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
  const at = chooseCut(entries, sizes, without(room, returning(ctx, entries.at(-1))));
  if (at === undefined) return undefined;
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  const back = returning(ctx, entries[at - 1]);
  // What comes back was given up only as far as it stood there.
  const ofPlugins = sum(sizes.slice(0, at).filter((_size, index) => !entries[index]?.message));
  const gain = sum(sizes.slice(0, at)) - Math.min(back, ofPlugins);
  if (reason === "threshold" && gain < leastGain * window) return undefined;
  const most = reason === "overflow" ? surelyFits * tokensBefore : window;
  return { conversation, at, kept: sum(sizes.slice(at)) + back, summary, most, window };
}

/** A part of the conversation that only its plugin understands is as large as what a model reads of it. */
function sizeOf({ agent, session }: CompactionContext, { event, message }: Pick<Entry, "event" | "message">): number {
  if (message) return agent.estimateTokens(message);
  const action = session.asRead(event);
  if (action.action === "merge_prev") return Math.ceil(Buffer.byteLength(action.content) / bytesPerToken);
  return action.action === "include" ? agent.estimateTokens(action.message as ScorelMessage) : 0;
}

/** Tokens of loaded skills that a request holds behind a summary which ends with this entry. */
function returning(ctx: CompactionContext, entry: Entry | undefined): number {
  return entry ? Math.ceil((ctx.find("skills")?.returning(entry.event.id) ?? 0) / bytesPerToken) : 0;
}

/** What comes back takes its room from what stays, up to half of it. */
function without({ keep, most, limit }: Room, back: number): Room {
  return { keep: Math.max(keep / 2, keep - back), most: Math.max(most / 2, most - back), limit: limit - back };
}

/** Who asks for a compaction below the threshold, or meets a window smaller than it was said to be, means what is there now. */
function roomFor(
  { config, agent, model }: CompactionContext,
  reason: Wish["reason"],
  tokens: number,
  summary: number,
): Room {
  const { contextWindow: window } = model.current();
  const scale = reason === "threshold" ? 1 : Math.min(1, tokens / window);
  const keep = tokensIn(window, config.keep) * scale;
  const threshold = tokensIn(window, config.threshold) * scale;
  const most = (keep + threshold) / 2;
  return { keep, most, limit: reason === "overflow" ? most : fullest * window - agent.fixedTokens() - summary };
}

function orderFor(session: Session, { conversation, at, summary, most }: Plan, { instructions }: Wish): Order {
  const { earlier, entries } = materialOf(session, conversation, at);
  // What was quoted below it is in the log, and quoted again where it still matters.
  const told = earlier?.split(requestsTitle)[0];
  return { entries, tokens: summary, most, instructions, ...(told !== undefined && { earlier: told }) };
}

async function write(
  ctx: CompactionContext,
  { conversation: { entries }, at, kept, summary: room }: Plan,
  { text, method, model, usage, note }: Summary,
  { messageId, clientId }: Wish,
  tokensBefore: number,
): Promise<Compacted> {
  const summary =
    text.replaceAll("</summary", "<\\/summary") + requests(ctx.session, entries.slice(at), room * bytesPerToken);
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

/** When a turn is cut in its middle, what it is about must not depend on how it is summarised. */
function requests(session: Session, kept: readonly Entry[], chars: number): string {
  const asked = requestsOutside(session, new Set(kept.map(({ event }) => event.id)));
  const texts = asked.map((message) => quoted(shortened(wordsOf(message), Math.ceil(chars / asked.length))));
  return texts.length === 0 ? "" : requestsTitle + texts.join("\n>\n");
}
