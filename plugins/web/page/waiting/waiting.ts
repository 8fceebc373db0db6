import type { OpenRequest } from "@scorel/host/client";
import type { SessionSummary } from "@scorel/host/contract";
import type { Device } from "../host/device.ts";
import type { ProjectRow } from "../host/session-list.ts";
import { Store } from "../store.ts";
import { waitingIn } from "./marks.ts";

/** A session that waits for an answer, or has waited while the list was open. */
export interface WaitingSession {
  session: SessionSummary;
  project: string;
  /** The open question that was asked first; undefined until the host has told it. */
  request: OpenRequest | undefined;
  /** Questions that wait behind it. */
  more: number;
  /** Somebody has answered. It stays where it is, so that nothing moves under a finger. */
  isOver: boolean;
  /** Why the question could not be read. */
  problem?: string | undefined;
}

/** All that waits at the host, as long as somebody looks at it. */
export class Waiting {
  readonly sessions = new Store<readonly WaitingSession[]>([]);
  private readonly device: Device;
  /** The rows that were asked about last: the host tells another one with each change. */
  private readonly rows = new Map<string, SessionSummary>();

  constructor(device: Device) {
    this.device = device;
  }

  /** Follows until the returned function is called. */
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
    // Something newer is on its way.
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
