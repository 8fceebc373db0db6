import { codeOf, type Session } from "@scorel/kernel";
import { compact } from "./compactor.ts";
import type { Compacting } from "./context.ts";
import type { Compacted } from "./contract.ts";
import { errors } from "./errors.ts";

export interface Asked {
  instructions?: string | undefined;
  messageId?: string | undefined;
  clientId: string;
}

/**
 * Compacts at a client's request, between turns; throws COMPACTION_BUSY. A repeated `messageId` returns the earlier
 * result. Cancelled like a turn, and by `cancelled`.
 */
export async function compactNow(
  compacting: Compacting,
  asked: Asked,
  cancelled = new AbortController().signal,
): Promise<Compacted> {
  const { ctx } = compacting;
  const known = asked.messageId === undefined ? undefined : doneFor(ctx.session, asked.messageId);
  if (known) return known;
  try {
    return await ctx.agent.betweenTurns((own) =>
      compact(compacting, { reason: "manual", signal: AbortSignal.any([own, cancelled]), ...asked }),
    );
  } catch (thrown) {
    const busy = ["AGENT_BUSY", "LOG_BUSY"].includes(codeOf(thrown));
    throw busy ? errors.COMPACTION_BUSY() : thrown;
  }
}

/**
 * Like `compactNow`, but concurrent requests with the same `messageId` share one compaction. `running` holds the
 * running compactions of a session by `messageId`.
 */
export async function compactOnce(
  compacting: Compacting,
  running: Map<string, Promise<Compacted>>,
  asked: Asked,
): Promise<Compacted> {
  const { messageId } = asked;
  if (messageId === undefined) return compactNow(compacting, asked);
  const outcome = running.get(messageId) ?? compactNow(compacting, asked).finally(() => running.delete(messageId));
  running.set(messageId, outcome);
  return outcome;
}

/** Summarizes the result in one line. */
export function summaryLine({ compacted, tokensBefore, tokensAfter, note }: Compacted): string {
  if (!compacted) return `${note} The conversation holds about ${tokensBefore} tokens.`;
  // `tokensBefore` is the model's own count. `tokensAfter` is an estimate, since the model has not read the new
  // conversation yet.
  const counts = `about ${tokensBefore} tokens by the model's count → ${tokensAfter} by Scorel's estimate`;
  return [`Compacted: ${counts}.`, note].filter(Boolean).join(" ");
}

function doneFor({ tree }: Session, messageId: string): Compacted | undefined {
  for (const { messageId: asked, tokensBefore, tokensAfter, note, id: eventId } of tree.ofType("compact")) {
    if (asked !== messageId) continue;
    return { compacted: true, tokensBefore, tokensAfter, eventId, ...(note !== undefined && { note }) };
  }
  return undefined;
}
