import type { RemoteClient } from "@scorel/host/client";
import type { Entry, OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";

/** What can be stopped: a shell line that was typed here, the running turn, or a shell line of another client. */
export function useStopping(client: RemoteClient, session: OpenSession) {
  const { running } = useStore(session.status);
  const entries = useStore(session.entries);
  const line = shellLine(entries, running ? client.clientId : undefined);
  const stop = () => {
    if (line !== undefined) void client.request("end_shell", { sessionId: session.id, eventId: line });
    else void client.request("cancel", { sessionId: session.id });
  };
  return { canStop: running || line !== undefined, stop };
}

/** The id of the shell line that was started last, by this client or, without `clientId`, by any. */
function shellLine(entries: readonly Entry[], clientId: string | undefined): string | undefined {
  const last = entries.findLast(({ live }) => {
    const now = live?.get();
    if (now?.kind !== "call" || now.typedBy === undefined) return false;
    return clientId === undefined || now.typedBy === clientId;
  });
  return last?.live?.get().id;
}
