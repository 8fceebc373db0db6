import type { OpenRequest } from "@scorel/host/client";
import type { SessionSummary } from "@scorel/host/contract";
import type { Device } from "../host/device.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { Store } from "../store.ts";
import { waitingIn } from "./marks.ts";

/** A session that waits for an answer, or has waited since the list was opened. */
export interface WaitingSession {
  session: SessionSummary;
  project: string;
  /** The oldest open question; undefined until the host has sent it. */
  request: OpenRequest | undefined;
  /** Number of further open questions. */
  more: number;
  /** Whether it has been answered. It stays in its place, so that nothing moves under a finger. */
  isOver: boolean;
  /** Why the question could not be read. */
  problem?: string | undefined;
}

/** All open questions at a host, while a person looks at them. */
export class Waiting {
  readonly sessions = new Store<readonly WaitingSession[]>([]);
  private readonly device: Device;
  /** The rows for which questions were last requested. A changed row is a new object. */
  private readonly rows = new Map<string, SessionSummary>();

  constructor(device: Device) {
    this.device = device;
  }

  /** Starts to follow the questions. Returns a function that ends this. */
  begin(): () => void {
    this.look();
    return this.device.sessions.projects.subscribe(() => this.look());
  }

  private look(): void {
    const projects = this.device.sessions.projects.get();
    const waiting = waitingIn(projects);
    const ids = new Set(waiting.map(({ sessionId }) => sessionId));
    for (const sessionId of this.rows.keys()) if (!ids.has(sessionId)) this.rows.delete(sessionId);
    const known = this.sessions.get();
    const added = waiting
      .filter(({ sessionId }) => !known.some(({ session }) => session.sessionId === sessionId))
      .map((session) => ({
        ...{ session, project: projectOf(projects, session.sessionId), request: undefined },
        ...{ more: 0, isOver: false },
      }));
    const stayed = known.map((each) => (ids.has(each.session.sessionId) ? each : { ...each, isOver: true }));
    this.sessions.set([...stayed, ...added]);
    for (const row of waiting) if (this.rows.get(row.sessionId) !== row) void this.read(row);
  }

  private async read(row: SessionSummary): Promise<void> {
    const { sessionId } = row;
    this.rows.set(sessionId, row);
    const found = await this.device.client.request("list_requests", { sessionId }).then(
      ({ requests: [request, ...more] }) => ({ request, more: more.length, problem: undefined }),
      (thrown) => ({ problem: (thrown as Error).message }),
    );
    // A newer request is in progress.
    if (this.rows.get(sessionId) !== row) return;
    const isOver = "request" in found && found.request === undefined;
    this.sessions.set(
      this.sessions
        .get()
        .map((each) =>
          each.session.sessionId !== sessionId
            ? each
            : isOver
              ? { ...each, isOver }
              : { ...each, ...found, session: row, isOver },
        ),
    );
  }
}

function projectOf(projects: readonly ProjectRow[], sessionId: string): string {
  return projects.find(({ sessions }) => sessions.some((each) => each.sessionId === sessionId))?.name ?? "";
}
