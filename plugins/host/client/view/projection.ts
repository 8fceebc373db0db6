import type { AnyEvent, EventId, StoredEvent } from "@scorel/kernel";
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

/** What is known of a session besides its events. */
export interface ViewStatus extends Work, SessionGlance {
  /**
   * `cached`: the view shows what an earlier one has kept, and the host was not heard yet. `reconnecting`: the connection to the host
   * was lost and is being made again. `closed`: nothing more will come.
   */
  connection: "live" | "cached" | "reconnecting" | "closed";
  /** While it is `reconnecting`: when that is tried next, in milliseconds since 1970, and why there is no connection. */
  retry?: Omit<Waiting, "state">;
  /** Why the view was closed, if not by its user. */
  error?: Error;
  meta: SessionMeta;
  /** The present activity of the running turn. */
  doing?: Doing;
  /** Tokens and US dollars of the replies and summaries in `events`. */
  usage: Facts["usage"];
  /** Status texts of plugins. */
  texts: { plugin: string; text: string }[];
  /** Panels of plugins: lines that are shown above the field. */
  panels: { plugin: string; lines: readonly string[] }[];
  /** The session as the host described it when the view last subscribed. */
  host: SessionStatus;
}

type Connection = Pick<ViewStatus, "connection" | "retry" | "error">;

/** What has changed in a view. */
export type ViewChange =
  /** Everything may be different. */
  | { kind: "reset" }
  /** A new row at `index`, or else all rows from `index` on. */
  | { kind: "rows"; index: number; isNew: boolean }
  /** An arriving message or a running tool has begun, changed or ended. */
  | { kind: "live"; id: EventId }
  /** An arriving message has more text at its end. */
  | { kind: "text"; id: EventId; delta: string }
  | { kind: FactChange }
  /** An event that leaves no trace in the view, such as a notification or the failure of a plugin; and who has cancelled a turn. */
  | { kind: "passing"; delivered: Delivered };

/** How a projection begins, or goes on. */
export interface Beginning {
  mode: ResumeMode;
  /** Whether there are stored events before the first one that follows. */
  more: boolean;
  /** The position before the first event that follows. */
  anchor: Anchor;
  status: SessionStatus;
}

/**
 * A session as a client sees it, computed from the events that it gets. Pure: it asks nobody for anything. Whatever was lost,
 * repeated by the host or begun anew, it is the same as one that was made from the stored events and what is in flight.
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
  /** Passing events are missing, so that those that follow make no sense. */
  private hasGap = false;
  private glance: SessionGlance = {};
  /** Whether the host tells changes of the status. */
  private isTold = false;
  private cached: ViewStatus | undefined;
  private readonly changed: (change: ViewChange) => void;

  /** `changed` is called with each change, after it. */
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
  /** What the stored events say, as far as a cache has to keep it. */
  get facts(): CachedSession["facts"] {
    const { queue, queueChanges, requests, permission } = this.known;
    // An entry without a queue that is known is not used.
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

  /** Begins, or goes on after the connection was lost. */
  begin({ mode, more, anchor, status }: Beginning): void {
    this.host = status;
    this.glance = glanceIn(status);
    this.isTold = false;
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

  /** Shows what an earlier view has kept, until the host says how to go on. */
  restore({ status, events, more, anchor, facts }: CachedSession): void {
    const first = events[0]?.event as StoredEvent | undefined;
    const start = { ...anchor, persistentSeq: first ? first.seq - 1 : 0, persistentId: null };
    this.begin({ mode: "full_reload", more, anchor: start, status });
    for (const delivered of events) this.take(delivered);
    delete this.known.queueChanges;
    Object.assign(this.known, facts);
    this.connect({ connection: "cached" });
  }

  /** Takes the next event. `activation` is that of the position after it: another one means that the session was opened anew. */
  take(delivered: Delivered, activation = this.activation): void {
    if (activation !== this.activation) {
      this.activation = activation;
      this.work.clear();
      this.tell({ kind: "reset" });
    }
    const { event } = delivered;
    if (event.type === "missed") this.miss(delivered);
    else if ("id" in event) this.store(delivered, event);
    else if (!this.hasGap) this.pass(delivered);
  }

  /** Takes stored events from before the first one. */
  takeOlder(events: readonly Delivered[], more: boolean): void {
    this.timeline.addBefore(events);
    this.hasMore = more;
    this.from = 0;
    const { meta, permission, queue, queueSeq, queueChanges, requests } = this.known;
    this.known = noFacts(meta, more);
    for (const { event } of this.timeline.events) this.learn(event as StoredEvent);
    // Those of earlier events are known already, from what was in flight.
    if (!queueChanges) setQueue(this.known, queue, queueSeq);
    Object.assign(this.known, { meta, requests, ...(permission !== undefined && { permission }) });
    this.tell({ kind: "reset" });
  }

  /** Takes the queue from the host's answer to `get_queue`, when the event that made it is not among those received. */
  takeQueue({ items, seq }: { items: readonly QueuedMessage[]; seq: number }): void {
    for (const kind of setQueue(this.known, items, seq)) this.tell({ kind });
  }

  /** Takes the host's answer to `follow_status`. Changes that came before it are newer. */
  takeGlance(glance: SessionGlance): void {
    if (!this.isTold) this.glance = glanceIn(glance);
    this.tell({ kind: "status" });
  }

  connect(link: Connection): void {
    if (this.link.connection === "closed") return;
    this.link = link;
    this.tell({ kind: "status" });
  }

  private store(delivered: Delivered, event: StoredEvent): void {
    // An open question from before the first event.
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

  /** What a plugin has stored may have another form than its type promises: it then says nothing. */
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

  private pass(delivered: Delivered): void {
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
    this.isTold = true;
    this.glance = glanceIn({ ...this.glance, ...changes });
    this.tell({ kind: "status" });
  }

  private miss(delivered: Delivered): void {
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

/** Part of something that has already ended or whose beginning was not received. */
function isPart({ type }: AnyEvent): boolean {
  return type.endsWith("_delta") || PARTS.has(type);
}
