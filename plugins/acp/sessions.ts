import { isAbsolute } from "node:path";
import type { NewSessionRequest, NewSessionResponse } from "@agentclientprotocol/sdk";
import type { SessionOptions } from "@scorel/workspace/contract";
import { errors } from "./errors.ts";
import { Session, type Shared } from "./session.ts";

/** The sessions that an editor has open. */
export class Sessions {
  private readonly shared: Shared;
  private readonly options: SessionOptions;
  private readonly open = new Map<string, Session>();

  /** `options` are those of each session that is opened. */
  constructor(shared: Shared, options: SessionOptions) {
    this.shared = shared;
    this.options = { ...options, attending: true };
  }

  /** The open session with an id. Throws ACP_SESSION. */
  get(sessionId: string): Session {
    const session = this.open.get(sessionId);
    if (!session) throw errors.ACP_SESSION({ sessionId });
    return session;
  }

  async create({ cwd, mcpServers }: NewSessionRequest): Promise<NewSessionResponse> {
    if (!isAbsolute(cwd)) throw errors.ACP_CWD({ cwd });
    const { client, log } = this.shared;
    if (mcpServers.length > 0)
      log(`The editor's MCP servers are not used: ${mcpServers.map(({ name }) => name).join(", ")}`);
    const status = await client.request("create_session", { cwd, ...this.options });
    const session = new Session(this.shared, status.sessionId, cwd);
    this.open.set(session.id, session);
    // The editor knows the session once it has the answer: everything about it comes after that.
    setImmediate(() => {
      session
        .begin(status, status.anchor)
        .catch((thrown) => log(`Session ${session.id} cannot be followed: ${String(thrown)}`));
    });
    return { sessionId: session.id };
  }

  /** Closes all sessions, after cancelling what the editor has begun in them. */
  async end(): Promise<void> {
    const sessions = [...this.open.values()];
    this.open.clear();
    const ended = await Promise.allSettled(sessions.map((session) => session.close()));
    for (const each of ended) if (each.status === "rejected") this.shared.log(String(each.reason));
  }
}
