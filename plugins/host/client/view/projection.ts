import type { AnyEvent, EventId, StoredEvent } from "@scorel/kernel";
import type { PluginText } from "@scorel/kit/text/attributed";
import type { SessionMeta } from "@scorel/messages/contract";
import type {
  Anchor,
  Delivered,
  Doing,
  QueuedMessage,
  ResumeMode,
  SessionGlance,
  SessionStatus,
  ThinkingLevel,
  Waiting,
} from "../../contract.ts";
import type { CachedSession } from "./cache.ts";
import { doingNow } from "./doing.ts";
import { type FactChange, type Facts, learn, noFacts, type OpenRequest, setQueue } from "./facts.ts";
import { glanceIn } from "./glance.ts";
import { type Live, LiveWork, type Work } from "./live.ts";
import { type Row, Timeline } from "./timeline.ts";

/** The status of a session, as far as the client knows it. */
export interface ViewStatus extends Work, SessionGlance {
  /**
   * `cached`: the view shows a cached state, and the host has not answered yet. `reconnecting`: the connection to the host was lost, and
   * the client tries to restore it. `closed`: the view has ended.
   */
  connection: "live" | "cached" | "reconnecting" | "closed";
  /** While `reconnecting`: the time of the next attempt, in milliseconds since 1970, and why there is no connection. */
  retry?: Omit<Waiting, "state">;
  /** Why the view was closed, unless `close` was called. */
  error?: Error;
  meta: SessionMeta;
  /** The current activity of the running turn. */
  doing?: Doing;
  /** Tokens and US dollars of the replies and summaries in `events`. */
  usage: Facts["usage"];
  /** Status texts of plugins. */
  texts: PluginText[];
  /** Panels of plugins: lines that are shown above the input field. */
  panels: { plugin: string; lines: readonly string[] }[];
  /** The session as the host described it when the view last subscribed. */
  host: SessionStatus;
}

type Connection = Pick<ViewStatus, "connection" | "retry" | "error">;

/** A change of a view. */
export type ViewChange =
  /** Everything may have changed. */
  | { kind: "reset" }
  /** With `isNew`, a row was added at `index`. Otherwise all rows from `index` on may have changed. */
  | { kind: "rows"; index: number; isNew: boolean }
  /** An arriving message or a running tool has begun, changed or ended. */
  | { kind: "live"; id: EventId }
  /** Text was appended to an arriving message. */
  | { kind: "text"; id: EventId; delta: string }
  | { kind: FactChange }
  /** An event that the view does not store, such as a notification, a plugin's failure, or the cancellation of a turn. */
  | { kind: "passing"; delivered: Delivered };

/** How a projection begins or resumes. */
export interface Beginning {
  mode: ResumeMode;
  /** Whether the log has events before the first one that follows. */
  more: boolean;
  /** The position before the first event that follows. */
  anchor: Anchor;
  status: SessionStatus;
}

/**
 * A client's view of a session, computed only from the events that the client receives. It makes no requests. Even after lost or repeated
 * events and restarts, it equals a projection built from scratch from the stored events and what is in flight.
 */
export class SessionProjection {
  private readonly timeline = new Timeline();
  private readonly work = new LiveWork();
  private known: Facts;
  private host: SessionStatus;
  private link: Connection = { connection: "live" };
  private activation = "";
  private from = 0;
  private hasMore = false;
  /** Whether transient events were missed. The following ones are then ignored, since they depend on the missed ones. */
  private hasGap = false;
  private glance: SessionGlance = {};
  /** Whether the host has sent a `status_change`. */
  private hasStatusChange = false;
  private cached: ViewStatus | undefined;
  private readonly changed: (change: ViewChange) => void;

  /** `changed` is called after each change. */
  constructor(status: SessionStatus, changed: (change: ViewChange) => void = () => {}) {
    this.host = status;
    this.glance = glanceIn(status);
    this.known = noFacts(status.meta, false);
    this.changed = changed;
  }

  get events(): readonly Delivered[] {
    return this.timeline.events;
  }
  get rows(): readonly Row[] {
    return this.timeline.rows;
  }
  get live(): readonly Live[] {
    return this.work.all;
  }
  get queue(): readonly QueuedMessage[] {
    return this.known.queue;
  }
  get queueSeq(): number {
    return this.known.queueSeq;
  }
  /** The facts that a cache must store, because they may come from events that it does not store. */
  get facts(): CachedSession["facts"] {
    const { queue, queueChanges, requests, permission } = this.known;
    // With -1, `readEntry` refuses the entry, because its queue is not known.
    const queueSeq = queueChanges ? -1 : this.known.queueSeq;
    return { queue, queueSeq, requests, ...(permission !== undefined && { permission }) };
  }
  get requests(): readonly OpenRequest[] {
    return this.known.requests;
  }
  get more(): boolean {
    return this.hasMore;
  }
  /** Whether events were missed, so that the view has to subscribe again to know what is in flight. */
  get isBehind(): boolean {
    return this.hasGap;
  }

  get status(): ViewStatus {
    this.cached ??= this.makeStatus();
    return this.cached;
  }

  /** Begins, or resumes after a reconnection. */
  begin({ mode, more, anchor, status }: Beginning): void {
    this.host = status;
    this.glance = glanceIn(status);
    this.hasStatusChange = false;
    if (mode === "full_reload") {
      this.timeline.clear();
      this.known = noFacts(status.meta, more);
      this.hasMore = more;
      this.from = anchor.persistentSeq;
    }
    this.known.meta = status.meta;
    if (mode !== "stream_resume") {
      this.work.clear();
      this.hasGap = false;
    }
    this.activation = anchor.activation;
    this.link = { connection: "live" };
    this.tell({ kind: mode === "stream_resume" ? "status" : "reset" });
  }

  /** Shows a cached session until the host has answered. */
  restore({ status, events, more, anchor, facts }: CachedSession): void {
    const first = events[0]?.event as StoredEvent | undefined;
    const start = { ...anchor, persistentSeq: first ? first.seq - 1 : 0, persistentId: null };
    this.begin({ mode: "full_reload", more, anchor: start, status });
    for (const delivered of events) this.take(delivered);
    delete this.known.queueChanges;
    Object.assign(this.known, facts);
    this.connect({ connection: "cached" });
  }

  /** Applies the next event. `activation` belongs to the position after it. If it has changed, the session was reopened. */
  take(delivered: Delivered, activation = this.activation): void {
    if (activation !== this.activation) {
      this.activation = activation;
      this.work.clear();
      this.tell({ kind: "reset" });
    }
    const { event } = delivered;
    if (event.type === "missed") this.noteGap(delivered);
    else if ("id" in event) this.store(delivered, event);
    else if (!this.hasGap) this.applyTransient(delivered);
  }

  /** Adds stored events from before the first one. */
  takeOlder(events: readonly Delivered[], more: boolean): void {
    this.timeline.addBefore(events);
    this.hasMore = more;
    this.from = 0;
    const { meta, permission, queue, queueSeq, queueChanges, requests } = this.known;
    this.known = noFacts(meta, more);
    for (const { event } of this.timeline.events) this.learn(event as StoredEvent);
    // Restores the facts that were known before, since they are newer than the added events.
    if (!queueChanges) setQueue(this.known, queue, queueSeq);
    Object.assign(this.known, { meta, requests, ...(permission !== undefined && { permission }) });
    this.tell({ kind: "reset" });
  }

  /** Applies the answer to `get_queue`, for when the event that defines the queue was not received. */
  takeQueue({ items, seq }: { items: readonly QueuedMessage[]; seq: number }): void {
    for (const kind of setQueue(this.known, items, seq)) this.tell({ kind });
  }

  /** Applies the answer to `follow_status`, unless a `status_change` has already arrived, which is newer. */
  takeGlance(glance: SessionGlance): void {
    if (!this.hasStatusChange) this.glance = glanceIn(glance);
    this.tell({ kind: "status" });
  }

  connect(link: Connection): void {
    if (this.link.connection === "closed") return;
    this.link = link;
    this.tell({ kind: "status" });
  }

  private store(delivered: Delivered, event: StoredEvent): void {
    // An old event, such as an open question, that the host sent because it is still in flight.
    if (event.seq <= this.from && this.hasMore) {
      for (const kind of this.learn(event)) this.tell({ kind });
      return;
    }
    const rows = this.timeline.add(delivered);
    if (!rows) return;
    const facts = this.learn(event);
    for (const change of this.work.stored(event.id)) this.tell(change);
    for (const change of rows) this.tell({ kind: "rows", ...change });
    for (const kind of facts) this.tell({ kind });
  }

  /** Applies the facts in a stored event. Ignores payloads that do not have the form of their type, since a plugin wrote them. */
  private learn(event: StoredEvent): FactChange[] {
    const { anchor } = this.host;
    if (event.type === "session_info") {
      if (event.seq <= anchor.persistentSeq) return [];
      const { model } = ((event as unknown as { changes?: SessionMeta }).changes ?? {}) as SessionMeta;
      if (model !== undefined && model !== this.glance.model) {
        const { modelError: _solved, modelFoundBy: _former, ...others } = this.glance;
        this.glance = { ...others, model };
      }
    }
    try {
      return learn(this.known, event);
    } catch {
      return [];
    }
  }

  private applyTransient(delivered: Delivered): void {
    if (delivered.event.type === "status_change") {
      this.change(delivered.event as AnyEvent);
      return;
    }
    const changes = this.work.take(delivered, (id) => this.timeline.has(id));
    for (const change of changes) this.tell(change);
    const { cancelledBy, hostStopped } = delivered.event as { cancelledBy?: unknown; hostStopped?: unknown };
    const isNews = changes.length === 0 && !isPart(delivered.event as AnyEvent);
    if (isNews || cancelledBy !== undefined || hostStopped === true) this.tell({ kind: "passing", delivered });
  }

  private change(event: AnyEvent): void {
    const { changes } = event as unknown as { changes?: unknown };
    if (typeof changes !== "object" || changes === null) return;
    this.hasStatusChange = true;
    this.glance = glanceIn({ ...this.glance, ...changes });
    this.tell({ kind: "status" });
  }

  private noteGap(delivered: Delivered): void {
    this.hasGap = true;
    this.work.clear();
    this.tell({ kind: "reset" });
    this.tell({ kind: "passing", delivered });
  }

  private tell(change: ViewChange): void {
    this.cached = undefined;
    this.changed(change);
  }

  private makeStatus(): ViewStatus {
    const { meta, permission, usage, requests } = this.known;
    const titles = requests.map(({ title }) => String(title));
    const doing = doingNow(this.work, titles);
    return {
      ...this.work.work,
      ...this.link,
      meta,
      ...(permission !== undefined && { permission }),
      ...(typeof meta.thinkingLevel === "string" && { thinking: meta.thinkingLevel as ThinkingLevel }),
      ...this.glance,
      ...(doing && { doing }),
      usage,
      texts: this.work.statuses,
      panels: this.work.panels,
      host: this.host,
    };
  }
}

const PARTS: ReadonlySet<string> = new Set([
  ...["tool_execution_state", "tool_execution_update", "tool_execution_end"],
  ...["shell_line_update", "shell_line_end"],
]);

/** Whether an event belongs to work in flight. Without a known beginning of that work, it is ignored. */
function isPart({ type }: AnyEvent): boolean {
  return type.endsWith("_delta") || PARTS.has(type);
}
