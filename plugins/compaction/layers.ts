import type { AgentMessage } from "@mariozechner/pi-agent-core";
import type { CompactionContext } from "./context.ts";
import { tokensIn } from "./size.ts";

// In every round: only looks, and loads the work when there is some.

/** Before the context of a model call is built: a summary when it would be too large. */
export async function summariseOld(ctx: CompactionContext, signal: AbortSignal): Promise<void> {
  const tokens = tooMany(ctx);
  if (tokens === undefined) return;
  const { compact } = await import("./compactor.ts");
  await compact(ctx, { reason: "threshold", signal, tokens });
}

/** The context of a model call with old results left out. */
export async function leaveOutResults(ctx: CompactionContext, messages: AgentMessage[]): Promise<AgentMessage[]> {
  const { layers, turns, step } = ctx.config;
  if (!layers.includes("results") || !mayHaveOld(messages, turns + step)) return messages;
  const { entriesNow, withoutOldResults } = await import("./results.ts");
  return withoutOldResults(messages, entriesNow(ctx.session), { turns, step });
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
