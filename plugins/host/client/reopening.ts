import type { Operation, SessionStatus } from "../contract.ts";

/** Parameters of the operations that open sessions, other than the session's options. */
const OTHER_KEYS: Partial<Record<Operation, readonly string[]>> = {
  create_session: ["cwd", "name", "unsaved", "preset", "parent", "kind", "data"],
  clone_session: ["sessionId", "eventId", "unsaved", "atOnce", "messageId"],
  load_session: ["sessionId"],
  continue_session: ["cwd"],
};

/** Remembers the options that sessions were opened with, so that a client can open them again at a host that was restarted. */
export class Reopening {
  private readonly options = new Map<string, Record<string, unknown>>();
  /** The sessions whose questions the client answers. */
  private readonly attended = new Set<string>();

  /** Takes note of an answered request. */
  take(operation: string, params: object, result: unknown): void {
    const others = OTHER_KEYS[operation as Operation];
    if (others) {
      const options = Object.entries(params).filter(([key]) => !others.includes(key));
      this.options.set((result as SessionStatus).sessionId, Object.fromEntries(options));
    }
    const { sessionId, attending = true } = params as { sessionId?: string; attending?: boolean };
    if (sessionId === undefined) return;
    if (operation === "attend_requests" && attending) this.attended.add(sessionId);
    if (operation === "close_session" || (operation === "attend_requests" && !attending))
      this.attended.delete(sessionId);
    if (operation === "close_session") this.options.delete(sessionId);
  }

  /** The open sessions, as parameters of `load_session`. */
  sessions(): { sessionId: string }[] {
    return [...this.options].map(([sessionId, options]) => ({ sessionId, ...options }));
  }

  /** The sessions whose questions the client answers, as parameters of `attend_requests`. */
  attending(): { sessionId: string }[] {
    return [...this.attended].map((sessionId) => ({ sessionId }));
  }
}
