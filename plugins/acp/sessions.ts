import { isAbsolute } from "node:path";
import type {
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  McpServer,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
  SessionInfo,
} from "@agentclientprotocol/sdk";
import type {} from "@scorel/history/contract";
import type { SessionStatus, SessionSummary } from "@scorel/host/contract";
import { messageOf } from "@scorel/kernel";
import { lineOf } from "@scorel/kit/text/one-line";
import { within } from "@scorel/kit/values/within";
import type { SessionOptions } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";
import { openWith } from "./mcp-servers.ts";
import { Session, type Shared } from "./session.ts";
import type { Choices } from "./settings.ts";

/** Milliseconds to wait for a host that is disconnected, when the editor leaves. */
const AWAY_MS = 3_000;
/** Number of sessions in one page of the list. */
const PAGE = 100;

/** The sessions that are open in an editor, and the list of all sessions. */
export class Sessions {
  private readonly shared: Shared;
  private readonly options: SessionOptions;
  private readonly open = new Map<string, Session>();
  /** Ids of sessions that are being loaded. */
  private readonly opening = new Set<string>();

  /** `options` apply to each session that is opened. */
  constructor(shared: Shared, options: SessionOptions) {
    this.shared = shared;
    this.options = { ...options, attending: true };
  }

  /** Returns an open session. Throws ACP_SESSION. */
  get(sessionId: string): Session {
    const session = this.open.get(sessionId);
    if (!session) throw errors.ACP_SESSION({ sessionId: lineOf(sessionId) });
    return session;
  }

  async create({ cwd, mcpServers }: NewSessionRequest): Promise<NewSessionResponse> {
    if (!isAbsolute(cwd)) throw errors.ACP_CWD({ cwd: lineOf(cwd) });
    const status = await openWith(mcpServers, this.shared, (servers) =>
      this.shared.client.request("create_session", { cwd, ...this.options, ...servers }),
    );
    const { sessionId } = status;
    return { sessionId, ...(await this.begun(status, new Session(this.shared, sessionId, cwd))) };
  }

  /** Opens a stored session. With `replay`, sends its messages before this resolves. */
  async load(request: LoadSessionRequest | ResumeSessionRequest, { replay }: { replay: boolean }): Promise<Choices> {
    const { sessionId, cwd, mcpServers = [] } = request;
    if (this.open.has(sessionId) || this.opening.has(sessionId))
      throw errors.ACP_OPEN({ sessionId: lineOf(sessionId) });
    this.opening.add(sessionId);
    try {
      const status = await this.opened(sessionId, mcpServers);
      const at = typeof status.meta.cwd === "string" ? status.meta.cwd : cwd;
      return await this.begun(status, new Session(this.shared, sessionId, at), replay);
    } finally {
      this.opening.delete(sessionId);
    }
  }

  private async opened(sessionId: string, servers: readonly McpServer[]): Promise<SessionStatus> {
    const { client } = this.shared;
    const status = await openWith(servers, this.shared, (more) =>
      client.request("load_session", { sessionId, ...this.options, ...more }),
    );
    if (status.sessionId === sessionId) return status;
    // The host accepts the beginning of an id, but the editor would not learn the full one.
    await client.request("close_session", { sessionId: status.sessionId });
    throw errors.ACP_SESSION({ sessionId: lineOf(sessionId) });
  }

  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const skip = skipOf(cursor ?? undefined);
    const where = typeof cwd === "string" ? { cwd } : {};
    const { sessions, more } = await this.shared.client.request("list_sessions", { ...where, limit: PAGE, skip });
    const next = more ? { nextCursor: String(skip + sessions.length) } : {};
    return { sessions: sessions.map(infoOf), ...next };
  }

  /** Closes a session in this client. Throws ACP_SESSION. */
  async close(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    this.open.delete(sessionId);
    await session.close();
  }

  /** Moves a session to the trash. */
  async delete(sessionId: string): Promise<void> {
    if (this.open.has(sessionId)) await this.close(sessionId);
    await this.shared.client.request("delete_session", { sessionId });
  }

  /** Cancels what the editor has started, in all sessions. */
  async cancel(): Promise<void> {
    await this.inAll((session) => session.cancel());
  }

  /** Cancels what the editor has started, and closes all sessions. */
  async end(): Promise<void> {
    await this.inAll((session) => this.close(session.id));
  }

  /** Shows a notice in all sessions. */
  async notice(severity: "info" | "warning", text: string): Promise<void> {
    await this.inAll((session) => this.shared.editor.notice(session.id, severity, text));
  }

  private async inAll(work: (session: Session) => Promise<void>): Promise<void> {
    const ended = await Promise.allSettled(
      [...this.open.values()].map((session) => within(AWAY_MS, work(session), () => errors.ACP_AWAY())),
    );
    for (const each of ended) if (each.status === "rejected") this.shared.log(messageOf(each.reason));
  }

  /** Shows an opened session, and follows it from now on. Closes it again if that fails. */
  private async begun(status: SessionStatus, session: Session, replay = false): Promise<Choices> {
    try {
      if (replay) await session.replay(status);
      const choices = await session.settings.read();
      this.open.set(session.id, session);
      session.begin(status);
      return choices;
    } catch (thrown) {
      await this.shared.client.request("close_session", { sessionId: session.id });
      throw thrown;
    }
  }
}

function infoOf({ sessionId, cwd, name, title, updatedAt }: SessionSummary): SessionInfo {
  return { sessionId, cwd, title: lineOf(name ?? title), updatedAt: new Date(updatedAt).toISOString() };
}

/** Reads the cursor of a page. Throws ACP_CURSOR. */
function skipOf(cursor = "0"): number {
  if (!/^\d{1,9}$/.test(cursor)) throw errors.ACP_CURSOR({ cursor: lineOf(cursor) });
  return Number(cursor);
}
