import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { Compacting, CompactionContext } from "./context.ts";
import type { RememberedConversation } from "./conversation.ts";
import { tokensIn } from "./size.ts";

/** Growth after a cancelled compaction, as a share of the window, before layers are asked again. */
const AGAIN = 0.05;

// These layers run in every round, so they only check, and load further code when there is work.

/**
 * Before the context of a model call is built: summarizes the older part if the context would be too large, and warns the user if it
 * still is.
 */
export async function fitIntoWindow(compacting: Compacting, signal: AbortSignal): Promise<void> {
  const { agent } = compacting.ctx;
  const tokens = agent.contextTokens();
  const isShorter = await summariseOld(compacting, tokens, signal);
  warnIfTooLong(compacting, isShorter ? agent.contextTokens() : tokens);
}

/** Summarizes the older part if the next request would have too many tokens. Returns whether it did. */
async function summariseOld(compacting: Compacting, tokens: number, signal: AbortSignal): Promise<boolean> {
  const { ctx, cancelledAt } = compacting;
  if (!isTooMany(tokens, ctx)) return false;
  // A layer cancelled it; ask again when the conversation has become noticeably longer.
  if (cancelledAt !== undefined && tokens < cancelledAt + AGAIN * ctx.model.current().contextWindow) return false;
  const { compact } = await import("./compactor.ts");
  return (await compact(compacting, { reason: "threshold", signal, tokens })).compacted;
}

/**
 * Some servers refuse a request that exceeds the window; others, such as Ollama, omit its beginning without saying so. The request is sent
 * nevertheless, since its size is an estimate.
 */
function warnIfTooLong(compacting: Compacting, tokens: number): void {
  const { model, ui } = compacting.ctx;
  const { provider, id, contextWindow } = model.current();
  const isTooLong = contextWindow > 0 && tokens > contextWindow;
  if (isTooLong && !compacting.warned)
    ui.notify(
      `The next request has about ${rounded(tokens)} tokens, but the context window of ${provider}/${id} has ${rounded(contextWindow)}. The model may refuse it, or may not see all of it.`,
      "warning",
    );
  compacting.warned = isTooLong;
}

/** Makes the layer that omits old tool results from the context of a model call. */
export function leavingOutResults(ctx: CompactionContext): (messages: AgentMessage[]) => Promise<AgentMessage[]> {
  const { layers, turns, step } = ctx.config;
  let conversation: RememberedConversation | undefined;
  return async (messages) => {
    if (!layers.includes("results") || !mayHaveOld(messages, turns + step)) return messages;
    const { withoutOldResults } = await import("./results.ts");
    conversation ??= new (await import("./conversation.ts")).RememberedConversation();
    return withoutOldResults(messages, conversation.entriesOf(ctx.session), { turns, step });
  };
}

/** Compacts after a model refused the conversation. Returns true when it may be sent again. */
export async function afterRefusal(
  compacting: Compacting,
  refusedBy: string,
  signal: AbortSignal,
): Promise<true | undefined> {
  const { ctx } = compacting;
  const { provider, id } = ctx.model.current();
  // The model was switched, so the refusal does not concern the current one.
  if (`${provider}/${id}` !== refusedBy) return true;
  if (!ctx.config.layers.includes("summary")) return undefined;
  const { compact } = await import("./compactor.ts");
  return (await compact(compacting, { reason: "overflow", signal })).compacted || undefined;
}

/** Whether the tokens of the next request exceed the threshold. */
function isTooMany(tokens: number, { config, model }: CompactionContext): boolean {
  const { contextWindow } = model.current();
  const mayCompact = config.layers.includes("summary") && contextWindow > 0;
  return mayCompact && tokens > tokensIn(contextWindow, config.threshold);
}

/** Quick check for old turns: each has at least one user message. */
function mayHaveOld(messages: readonly AgentMessage[], turns: number): boolean {
  let users = 0;
  return messages.some(({ role }) => role === "user" && ++users >= turns);
}

function rounded(tokens: number): string {
  return Number(tokens.toPrecision(3)).toLocaleString("en");
}
