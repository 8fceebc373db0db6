import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { CompactionContext } from "./context.ts";
import { tokensIn } from "./size.ts";

// In every round: only looks, and loads the work when there is some.

/** Both layers, before a model call: a summary when the context is too large, and old results left out. */
export async function shorten(
  ctx: CompactionContext,
  messages: AgentMessage[],
  signal: AbortSignal,
): Promise<AgentMessage[]> {
  const tokens = tooMany(ctx);
  if (tokens !== undefined) {
    const { compact } = await import("./compactor.ts");
    // The context is built anew, and comes here again.
    if ((await compact(ctx, { reason: "threshold", signal, tokens })).compacted) return messages;
  }
  const { layers, turns, step } = ctx.config;
  if (!layers.includes("results") || !mayHaveOld(messages, turns + step)) return messages;
  const [{ withoutOldResults }, { conversationOf }] = await Promise.all([
    import("./results.ts"),
    import("./conversation.ts"),
  ]);
  return withoutOldResults(messages, conversationOf(ctx.session).entries, { turns, step });
}

/** After a model refused the conversation: true when it may be sent again. */
export async function afterRefusal(
  ctx: CompactionContext,
  refusedBy: string,
  signal: AbortSignal,
): Promise<true | undefined> {
  const { provider, id } = ctx.model.current();
  // What was too long for a model that is no longer in use says nothing about this one.
  if (`${provider}/${id}` !== refusedBy) return true;
  if (!ctx.config.layers.includes("summary")) return undefined;
  const { compact } = await import("./compactor.ts");
  return (await compact(ctx, { reason: "overflow", signal })).compacted || undefined;
}

/** The tokens of the next request when they are over the threshold. */
function tooMany({ config, model, agent }: CompactionContext): number | undefined {
  const { contextWindow } = model.current();
  if (!config.layers.includes("summary") || contextWindow <= 0) return undefined;
  const tokens = agent.contextTokens();
  return tokens > tokensIn(contextWindow, config.threshold) ? tokens : undefined;
}

/** Each turn has a user's message at least. */
function mayHaveOld(messages: readonly AgentMessage[], turns: number): boolean {
  let users = 0;
  return messages.some(({ role }) => role === "user" && ++users >= turns);
}
