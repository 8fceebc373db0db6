import type { TurnOutcome } from "@scorel/agent/contract";
import type { Client, SessionStatus } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { linkedTo, untilAborted } from "@scorel/kit/values/abort";
import { joined } from "./joined.ts";
import type { Limits } from "./limits.ts";

interface Run {
  client: Client;
  status: Pick<SessionStatus, "sessionId" | "anchor">;
  interrupt: AbortSignal;
  limits: Pick<Limits, "signal" | "isSpent" | "checkRound">;
}

/**
 * Waits for the subagents that this run has started in the background, which would end with its session. `answerTo` waits for the turn
 * that answers a message. Returns the outcome of the last turn that answers a report, with the usage of all turns. The reason is `cancelled`
 * when an interrupt or a limit ends the wait.
 */
export async function outcomeWithReports(
  { client, status, interrupt, limits }: Run,
  first: TurnOutcome,
  answerTo: (id: string) => Promise<TurnOutcome>,
): Promise<TurnOutcome> {
  const cut = linkedTo(limits.signal, interrupt);
  // One turn may answer several reports, and the first turn some of them.
  const counted = new Set([first.leafId]);
  const known: string[] = [];
  let outcome = first;
  try {
    while (outcome.reason === "completed") {
      // The model could not be asked about a report any more.
      if (limits.isSpent && (await isAwaited(client, status, known))) limits.checkRound();
      const reports = await nextReports(client, status, known, cut.signal);
      if (cut.signal.aborted) return { ...outcome, reason: "cancelled" };
      if (reports.length === 0) return outcome;
      for (const id of reports) {
        const answered = await answerTo(id);
        if (!counted.has(answered.leafId)) outcome = joined(outcome, answered);
        counted.add(answered.leafId);
      }
      known.push(...reports);
    }
    return outcome;
  } finally {
    cut.end();
  }
}

/** The ids of further messages with reports; none when nothing is left to wait for, or the signal aborts. */
async function nextReports(
  client: Client,
  status: Run["status"],
  known: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return (await untilAborted(background(client, status, { known }), signal)).reports;
  } catch (thrown) {
    if (signal.aborted) return [];
    throw thrown;
  }
}

/** Whether subagents of this run still work, and none has sent a report yet. */
async function isAwaited(client: Client, status: Run["status"], known: readonly string[]): Promise<boolean> {
  const { reports, running } = await background(client, status, { known, wait: false });
  return running > 0 && reports.length === 0;
}

async function background(
  client: Client,
  { sessionId, anchor }: Run["status"],
  asked: { known: readonly string[]; wait?: boolean },
): Promise<{ reports: readonly string[]; running: number }> {
  // Work that others have started in this session before is not waited for.
  const after = Math.max(anchor.persistentSeq, anchor.streamSeq);
  try {
    return await client.request("wait_background", { sessionId, after, ...asked });
  } catch (thrown) {
    // A preset without slash commands, or an older host, has no such work.
    if (codeOf(thrown) === "HOST_OPERATION_UNKNOWN") return { reports: [], running: 0 };
    throw thrown;
  }
}
