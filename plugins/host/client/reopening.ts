import type { AnyEvent } from "@scorel/kernel";
import type { CommandResult, Delivered, Operation, SessionStatus } from "../contract.ts";

/** The error code for a session that is already open with other options. */
const OTHER_OPTIONS = "HOST_SESSION_OPTIONS";

/** Parameters of the operations that open sessions, other than the session's options. */
const OTHER_KEYS: Partial<Record<Operation, readonly string[]>> = {
  create_session: ["cwd", "name", "unsaved", "preset", "parent", "kind", "data"],
  clone_session: ["sessionId", "eventId", "unsaved", "atOnce", "messageId"],
  load_session: ["sessionId"],
  continue_session: ["cwd"],
};

/** Options that hold for all sessions of a client, and that are therefore not repeated by commands that open one. */
const LASTING = ["attending", "environment"];

/** Remembers the options that sessions were opened with, so that a client can reopen them after the host was restarted. */
export class Reopening {
  private readonly options = new Map<string, Record<string, unknown>>();
  /** The position in each session's log at which it was opened. */
  private readonly openedAt = new Map<string, number>();
  /** Options that the host remembers for the sessions which commands such as `/new` open. */
  private lasting: Record<string, unknown> = {};
  /** The sessions whose questions the client answers. */
  private readonly attended = new Set<string>();

  /** Records an answered request. */
  take(operation: string, params: object, result: unknown): void {
    const others = OTHER_KEYS[operation as Operation];
    if (others) {
      const options = Object.fromEntries(Object.entries(params).filter(([key]) => !others.includes(key)));
      const { sessionId, anchor } = result as SessionStatus;
      this.opened(sessionId, options, anchor?.persistentSeq);
      for (const key of LASTING) if (options[key] !== undefined) this.lasting[key] = options[key];
    }
    if (operation === "run_command") this.openedByCommand(result as CommandResult);
    const { sessionId, attending = true } = params as { sessionId?: string; attending?: boolean };
    if (sessionId === undefined) return;
    if (operation === "set_permission") this.choose(sessionId, (result as { mode: string }).mode);
    if (operation === "attend_requests" && attending) this.attended.add(sessionId);
    if (operation === "close_session" || (operation === "attend_requests" && !attending))
      this.attended.delete(sessionId);
    if (operation === "close_session") {
      this.options.delete(sessionId);
      this.openedAt.delete(sessionId);
    }
  }

  private opened(sessionId: string, options: Record<string, unknown>, at = 0): void {
    this.options.set(sessionId, options);
    this.openedAt.set(sessionId, at);
  }

  /** Records the session that a command has opened. Of a session that was open before, such as a reloaded one, the options are known. */
  private openedByCommand({ sessionId, options }: CommandResult): void {
    if (sessionId !== undefined && !this.options.has(sessionId))
      this.opened(sessionId, { ...this.lasting, ...options });
  }

  /**
   * Records an event of a followed session. The permission mode that the client itself has set is restored when the client has to
   * reopen the session (also `full`, which a session does not keep), unless another client has set a different one since.
   */
  hear(sessionId: string, { event }: Delivered, clientId: string): void {
    if (event.type !== "permission_mode" || !("seq" in event)) return;
    const { mode, clientId: by, seq } = event as AnyEvent & { mode?: unknown };
    if (typeof mode !== "string" || seq <= (this.openedAt.get(sessionId) ?? 0)) return;
    if (by === clientId) this.choose(sessionId, mode);
    else if (this.modeIn(sessionId) !== mode) delete this.options.get(sessionId)?.permission;
  }

  /** The permission mode that the client has set in a session, at its opening or later. */
  modeIn(sessionId: string): string | undefined {
    const mode = this.options.get(sessionId)?.permission;
    return typeof mode === "string" ? mode : undefined;
  }

  private choose(sessionId: string, mode: string): void {
    const options = this.options.get(sessionId);
    if (options) options.permission = mode;
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

type Request = (
  operation: "load_session" | "set_permission",
  params: { sessionId: string; mode?: string },
) => Promise<unknown>;

/**
 * Reopens a session. Returns true if another client has already opened it with other options, which then apply. `restoreMode` can still
 * restore this client's permission mode.
 */
export async function openAgain(params: { sessionId: string }, request: Request): Promise<boolean> {
  try {
    await request("load_session", params);
    return false;
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== OTHER_OPTIONS) throw thrown;
    await request("load_session", { sessionId: params.sessionId });
    return true;
  }
}

/** Sets the client's own permission mode again. Call it after the client has received the events about modes that others have set. */
export async function restoreMode(sessionId: string, reopening: Reopening, request: Request): Promise<void> {
  const mode = reopening.modeIn(sessionId);
  if (mode !== undefined) await request("set_permission", { sessionId, mode });
}
