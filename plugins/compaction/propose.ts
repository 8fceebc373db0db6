import { messageOf } from "@scorel/kernel";
import type { Compacting } from "./context.ts";
import type { CompactionProposal } from "./contract.ts";
import type { Answered } from "./proposal.ts";
import { bytesPerToken } from "./size.ts";
import type { Summary, SummaryRequest } from "./summary.ts";
import { sampleOf, shortened } from "./transcript.ts";

/** The decision of the layers: no compaction, with the reason; a summary that a layer wrote; or the built-in summary. */
interface Decision {
  cancel?: string;
  summary?: Summary;
  order: SummaryRequest;
}

/** Asks the layers of `beforeCompact`. Rejects only on abort: if a critical layer fails, the compaction is cancelled. */
export async function proposed(
  { ctx, beforeCompact }: Compacting,
  about: Pick<CompactionProposal, "reason" | "tokens" | "window">,
  order: SummaryRequest,
  signal: AbortSignal,
): Promise<Decision> {
  if (beforeCompact.layers === 0) return { order };
  const { cancel, summary, instructions } = await beforeCompact(proposalOf(about, order), signal).then(
    (answered: Answered) => answered,
    (thrown: unknown) => {
      signal.throwIfAborted();
      return { cancel: messageOf(thrown), summary: undefined, instructions: undefined };
    },
  );
  if (cancel !== undefined) return { cancel, order };
  if (summary === undefined) return { order: { ...order, instructions } };
  const clean = ctx.find("secrets")?.redact(summary) ?? summary;
  return { order, summary: { text: shortened(clean.trim(), 2 * order.tokens * bytesPerToken), method: "plugin" } };
}

function proposalOf(
  about: Pick<CompactionProposal, "reason" | "tokens" | "window">,
  { entries, earlier, instructions, tokens }: SummaryRequest,
): CompactionProposal {
  // The number of bytes that a model with this window could be asked to summarize.
  const { entries: shown, gap } = sampleOf(entries, about.window * bytesPerToken);
  return {
    ...about,
    size: tokens,
    ...(instructions !== undefined && { instructions }),
    ...(earlier !== undefined && { earlier }),
    messages: shown.flatMap(({ message }) => message ?? []),
    omitted: gap?.count ?? 0,
  };
}
