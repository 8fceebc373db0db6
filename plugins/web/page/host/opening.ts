import { type CacheOptions, followSession, rightsOf, type SessionView } from "@scorel/host/client";
import type { Client, Rights, SessionStatus } from "@scorel/host/contract";

interface Options {
  tail: number;
  cache: CacheOptions;
  /** Called when the host has said what this page may do in the session. */
  allowed(rights: Rights): void;
}

/** A session that is shown, and its opening at the host. */
export interface OpenedView {
  view: SessionView;
  /**
   * Resolves with the status when the host has opened the session; rejects if it refuses. Resolves with undefined if this page may only
   * read.
   */
  opened: Promise<SessionStatus | undefined>;
}

/**
 * Follows a session, and opens it at the host. Resolves at once if this browser has stored the session, whether the host can be reached or
 * not, otherwise when the host has answered.
 */
export async function openView(
  client: Client,
  sessionId: string,
  { allowed, ...options }: Options,
): Promise<OpenedView> {
  const opened = (async () => {
    const rights = await rightsOf(client);
    allowed(rights);
    // A page that may only read follows a session without opening it.
    const status = rights.write
      ? await client.request("load_session", { sessionId, attending: rights.answer })
      : undefined;
    if (rights.answer) await client.request("attend_requests", { sessionId });
    return status;
  })();
  // The view reports the error, if it is still shown.
  opened.catch(() => {});
  const afterwards: Client = {
    get clientId() {
      return client.clientId;
    },
    request: (...asked) => client.request(...asked),
    onState: (listener) => client.onState?.(listener) ?? (() => {}),
    subscribe: async (...asked) => {
      await opened;
      return client.subscribe(...asked);
    },
    watchSessions: (...asked) => client.watchSessions(...asked),
    drained: (id) => client.drained(id),
    close: () => client.close(),
  };
  return { view: await followSession(afterwards, sessionId, options), opened };
}
