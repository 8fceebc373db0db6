import type { Client, SessionChange } from "@scorel/host/contract";
import type {} from "@scorel/requests/contract";

/** Keeps questions open in sessions whose users get pushes. Otherwise, a host declines each question as soon as the last page is closed. */
export class Attending {
  private readonly client: Client;
  private readonly failed: (thrown: unknown) => void;
  /** Sessions in which a user with pushes will answer, and whether each is attended now. */
  private readonly sessions = new Map<string, boolean>();

  constructor(client: Client, failed: (thrown: unknown) => void) {
    this.client = client;
    this.failed = failed;
  }

  /** Registers an open session in which a user with pushes will answer, until the session is closed. */
  async add(sessionId: string): Promise<void> {
    if (this.sessions.has(sessionId)) return;
    await this.come(sessionId);
    const { running } = await this.client.request("get_status", { sessionId });
    if (!running) await this.leave(sessionId);
  }

  /** Attends a session only while it is busy or has a question, so that it can be closed in between. */
  async take(change: SessionChange): Promise<void> {
    if (change.change === "missed") return;
    const { sessionId, running, questions } = change.session;
    const isAttended = this.sessions.get(sessionId);
    if (isAttended === undefined) return;
    const isBusy = running === true || questions !== undefined;
    try {
      if (change.change === "closed" || change.change === "deleted") this.sessions.delete(sessionId);
      else if (isBusy && !isAttended) await this.come(sessionId);
      else if (!isBusy && isAttended) await this.leave(sessionId);
    } catch (thrown) {
      this.failed(thrown);
    }
  }

  /** Stops attending all sessions, because no browser is subscribed any more. */
  async end(): Promise<void> {
    const attended = [...this.sessions].flatMap(([sessionId, isAttended]) => (isAttended ? [sessionId] : []));
    this.sessions.clear();
    await Promise.all(attended.map((sessionId) => this.client.request("close_session", { sessionId })));
  }

  private async come(sessionId: string): Promise<void> {
    this.sessions.set(sessionId, true);
    await this.client.request("attend_requests", { sessionId });
  }

  private async leave(sessionId: string): Promise<void> {
    this.sessions.set(sessionId, false);
    await this.client.request("close_session", { sessionId });
  }
}
