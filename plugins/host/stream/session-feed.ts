import { existsSync } from "node:fs";
import { type AnyEvent, type BaseContext, isEvent } from "@scorel/kernel";
import type { SessionChange, SessionSummary } from "../contract.ts";
import { type OpenSession, questionsIn, turnIn } from "../sessions/open-session.ts";

type Listener = (change: SessionChange) => void | Promise<void>;
type RowChange = Extract<SessionChange, { session: SessionSummary }>["change"];

const DEFAULT_CAPACITY = 1_000;
/** The changes of list rows that events of a session cause. */
const CHANGES: Readonly<Record<string, RowChange>> = {
  runtime_start: "running",
  runtime_end: "idle",
  turn_wait_start: "waiting",
  turn_wait_end: "running",
  approval_request: "asking",
  approval_answer: "answered",
};

/** The open sessions of this process as list rows, and the listeners to their changes. */
export class SessionFeed {
  private readonly logger: BaseContext["logger"];
  private readonly open = new Map<string, OpenSession>();
  private readonly listeners = new Set<Watcher>();

  constructor(logger: BaseContext["logger"]) {
    this.logger = logger;
  }

  /** The rows of all open sessions, except for unsaved ones, by id. */
  get rows(): Map<string, SessionSummary> {
    return new Map([...this.open].map(([id, session]) => [id, rowOf(session)]));
  }

  /** Adds a session that was created or opened; without `change`, one that was reloaded. */
  add(session: OpenSession, change?: "created" | "opened"): void {
    // Unsaved sessions are not listed. Only clients that were given their ids can use them.
    if (session.workspace.file === undefined) return;
    this.open.set(session.id, session);
    if (change !== undefined) this.tell(session, change);
  }

  /** Announces the change of the session's row that an event causes, if any. */
  take(session: OpenSession, event: AnyEvent): void {
    const change = Object.hasOwn(CHANGES, event.type) ? CHANGES[event.type] : filedBy(event);
    if (change !== undefined && this.open.get(session.id) === session) this.tell(session, change);
  }

  /** Removes a closed session. If it was never stored, announces it as deleted. */
  remove(session: OpenSession): void {
    const { id: sessionId, workspace } = session;
    if (this.open.get(sessionId) !== session) return;
    this.open.delete(sessionId);
    const isStored = existsSync(workspace.file as string);
    if (this.isWatched)
      this.send({
        change: isStored ? "closed" : "deleted",
        session: { ...session.summary.current, cwd: workspace.cwd },
      });
  }

  /** Whether there are listeners. Without any, rows need not be computed. */
  get isWatched(): boolean {
    return this.listeners.size > 0;
  }

  send(change: SessionChange): void {
    for (const listener of this.listeners) listener.push(change);
  }

  /** Calls a listener for all changes from now on. Returns a function that removes it. */
  listen(listener: Listener, capacity = DEFAULT_CAPACITY): () => void {
    const failed = (thrown: unknown) => this.logger.warn("A listener of watchSessions failed", thrown);
    const watcher = new Watcher(listener, capacity, failed);
    this.listeners.add(watcher);
    return () => {
      this.listeners.delete(watcher);
      watcher.end();
    };
  }

  private tell(session: OpenSession, change: RowChange): void {
    if (this.isWatched) this.send({ change, session: { ...rowOf(session), cwd: session.workspace.cwd } });
  }
}

/** The row of an open session. */
function rowOf(session: OpenSession): SessionSummary {
  const { summary, stream } = session;
  return { ...summary.current, running: stream.running, ...turnIn(session), ...questionsIn(session) };
}

/** Whether an event archives or renames the session in lists. */
function filedBy(event: AnyEvent): RowChange | undefined {
  if (!isEvent(event, "session_info")) return undefined;
  const { changes } = event;
  if (changes?.archived !== undefined) return "archived";
  return changes?.name !== undefined || changes?.title !== undefined ? "renamed" : undefined;
}

/** A listener with its own queue. */
class Watcher {
  private readonly listener: Listener;
  private readonly capacity: number;
  private readonly failed: (thrown: unknown) => void;
  private queue: SessionChange[] = [];
  private running = false;
  private ended = false;

  constructor(listener: Listener, capacity: number, failed: (thrown: unknown) => void) {
    this.listener = listener;
    this.capacity = capacity;
    this.failed = failed;
  }

  push(change: SessionChange): void {
    // Nothing is lost, because a list that is requested after `missed` includes all dropped changes.
    if (this.queue.length >= this.capacity) this.queue = [{ change: "missed" }];
    else this.queue.push(change);
    if (!this.running) void this.drain();
  }

  end(): void {
    this.ended = true;
    this.queue = [];
  }

  private async drain(): Promise<void> {
    this.running = true;
    // Listeners run after the code that caused the change has returned, never inside it.
    await null;
    for (let next = this.queue.shift(); next && !this.ended; next = this.queue.shift()) {
      try {
        await this.listener(next);
      } catch (thrown) {
        this.failed(thrown);
      }
    }
    this.running = false;
  }
}
