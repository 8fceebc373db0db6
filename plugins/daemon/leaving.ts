import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@scorel/host/contract";
import type { DaemonContext } from "./context.ts";

/** Milliseconds between two checks of a session that other clients are working in. */
const LOOK_MS = 100;
/** Milliseconds for other clients to leave a session after the last turn has ended. */
const FAREWELL_MS = 1_000;
/** Tells the user what the process waits for. Each line fits into 80 columns, since terminals break longer ones inside a word. */
const WAITS = `scorel: this process still runs a turn in a session that others have joined.
It waits for the end of that turn, and then exits.
Ctrl-C cancels the turn and exits now.
`;

/**
 * Waits until no turn runs in those sessions of this process that other clients have joined, unless the user interrupts. `told` contains the
 * sessions for which the user was told to wait: leaving a session and ending the process may both wait for the same turn.
 */
export async function othersDone(
  { launch }: Pick<DaemonContext, "launch">,
  own: Client,
  { sessionIds, told }: { sessionIds: readonly string[]; told: Set<string> },
): Promise<void> {
  const { interrupt, stderr } = launch;
  for (const sessionId of sessionIds)
    for (let quietSince = 0; !interrupt.aborted; await sleep(LOOK_MS)) {
      const status = await own.request("get_status", { sessionId }).catch(() => undefined);
      if (status?.clients === undefined) break;
      const isBusy = status.running || (status.waiting ?? 0) > 0;
      quietSince = isBusy ? 0 : quietSince || Date.now();
      // A client that has got its answer has a moment to leave.
      if (!isBusy && Date.now() - quietSince > FAREWELL_MS) break;
      if (told.has(sessionId) || !isBusy) continue;
      told.add(sessionId);
      stderr.write(WAITS);
    }
}
