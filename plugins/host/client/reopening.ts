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

  /** Takes note of an answered request. */
  take(operation: string, params: object, result: unknown): void {
    const others = OTHER_KEYS[operation as Operation];
    if (others) {
      const options = Object.entries(params).filter(([key]) => !others.includes(key));
      this.options.set((result as SessionStatus).sessionId, Object.fromEntries(options));
    }
    const { sessionId } = params as { sessionId?: string };
    if (operation === "close_session" && sessionId !== undefined) this.options.delete(sessionId);
  }

  /** The open sessions, as parameters of `load_session`. */
  sessions(): { sessionId: string }[] {
    return [...this.options].map(([sessionId, options]) => ({ sessionId, ...options }));
  }
}
