import type { RemoteClient } from "@scorel/host/client";
import type { Entry, OpenSession } from "../host/session.ts";
import { useStore } from "../store.ts";
import { attempt } from "../ui/notes.ts";

/**
 * Tells whether something can be stopped, and stops it: a shell line that was typed here, the running turn, or a shell line of another client.
 * Esc does not stop a turn that waits for an answer, because someone who leaves the field of a question with Esc may press it once too often.
 */
export function useStopping(client: RemoteClient, session: OpenSession) {
  const { running } = useStore(session.status);
  const entries = useStore(session.entries);
  const isAsking = useStore(session.requests).length > 0;
  const line = shellLine(entries, running ? client.clientId : undefined);
  const endsLine = line !== undefined;
  return {
    canStop: running || endsLine,
    canStopByEsc: endsLine || (running && !isAsking),
    stop: () => stop(client, session.id, line),
  };
}

/** Ends a shell line or, without one, cancels the turn. Shows a note if the host refuses that. */
export function stop(client: Pick<RemoteClient, "request">, sessionId: string, line: string | undefined): void {
  attempt(() =>
    line === undefined
      ? client.request("cancel", { sessionId })
      : client.request("end_shell", { sessionId, eventId: line }),
  );
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
