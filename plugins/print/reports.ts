import type { TurnOutcome } from "@scorel/agent/contract";
import type { Client } from "@scorel/host/contract";
import { codeOf } from "@scorel/kernel";
import { onAbort } from "@scorel/kit/values/abort";
import { joined } from "./joined.ts";

interface Run {
  client: Client;
  status: { sessionId: string };
  interrupt: AbortSignal;
  limits: { signal: AbortSignal };
  /** A closed stdout also interrupts, but ends no work. */
  format: { output: { failure?: unknown } };
}

/**
 * Waits for work in the background whose end a message reports, such as subagents: it would end with the session. `answerTo` waits for the turn
 * that answers a message. Returns the outcome of the last turn that answers a report, with the usage of all turns; its reason is `cancelled`
 * when an interrupt or a limit ends the wait.
 */
export async function outcomeWithReports(
  { client, status: { sessionId }, interrupt, limits, format }: Run,
  first: TurnOutcome,
  answerTo: (id: string) => Promise<TurnOutcome>,
): Promise<TurnOutcome> {
  // Several reports may be answered in one turn, which may be the first.
  const counted = new Set([first.leafId]);
  const cut = new AbortController();
  const untie = [
    onAbort(limits.signal, () => cut.abort()),
    onAbort(interrupt, () => void (format.output.failure === undefined && cut.abort())),
  ];
  let outcome = first;
  let known = 0;
  try {
    while (outcome.reason === "completed") {
      const reports = await reportsAfter(client, sessionId, known, cut.signal);
      if (cut.signal.aborted) return { ...outcome, reason: "cancelled" };
      if (reports.length <= known) return outcome;
      for (const id of reports.slice(known)) {
        const answered = await answerTo(id);
        if (!counted.has(answered.leafId)) outcome = joined(outcome, answered);
        counted.add(answered.leafId);
      }
      known = reports.length;
    }
    return outcome;
  } finally {
    for (const end of untie) end();
  }
}

/** The ids of the messages that have reported an end, once there are more than `known` or none is to come, or the signal aborts. */
async function reportsAfter(
  client: Client,
  sessionId: string,
  known: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const aborted = new Promise<readonly string[]>((resolve) => signal.addEventListener("abort", () => resolve([])));
  if (signal.aborted) return [];
  const waiting = client.request("wait_background", { sessionId, after: known }).then(({ reports }) => reports);
  try {
    return await Promise.race([waiting, aborted]);
  } catch (thrown) {
    // A preset without slash commands, or an older host, has no such work.
    if (codeOf(thrown) === "HOST_OPERATION_UNKNOWN") return [];
    throw thrown;
  }
}
