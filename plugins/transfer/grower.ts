import { type EventId, type Events, type EventType, isId, newId, type StoredEvent } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { lineOf } from "./json.ts";
import type { Report } from "./report.ts";

/** Where a record stands in the file that it comes from. */
export interface Place {
  /** Its name there; children refer to it. */
  key?: string | undefined;
  /** The key of its parent: null for a root, undefined for "what came last". */
  parent?: string | null | undefined;
  /** Milliseconds since the epoch; whatever else it is, the time of the event before counts. */
  ts?: unknown;
  /** The id that it would keep. */
  id?: unknown;
  clientId?: unknown;
}

/** Grows the tree of a new session, event by event; what is said of parents that are not there hangs at what came last. */
export class Grower {
  /** The active leaf after what was grown so far. */
  leaf: EventId | null = null;
  size = 0;
  private readonly at: number;
  private readonly sessionId: string;
  private readonly source: string;
  private readonly report: Report;
  private readonly write: (event: StoredEvent) => void;
  private readonly places = new Map<string, EventId | null>();
  private readonly parents = new Map<EventId, EventId | null>();
  private readonly ids = new Set<EventId>();
  private ts = 0;

  constructor(options: {
    sessionId: string;
    source: string;
    /** The time of the import: no event is later. */
    at: number;
    report: Report;
    write: (event: StoredEvent) => void;
  }) {
    this.sessionId = options.sessionId;
    this.source = options.source;
    this.at = options.at;
    this.report = options.report;
    this.write = options.write;
  }

  /** The path event that a key stands for, or hangs at. */
  placeOf(key: string | null | undefined): EventId | null {
    if (key === null) return null;
    const known = key === undefined ? undefined : this.places.get(key);
    return known === undefined ? this.leaf : known;
  }

  knows(key: unknown): key is string {
    return typeof key === "string" && this.places.has(key);
  }

  parentOf(id: EventId): EventId | null {
    return this.parents.get(id) ?? null;
  }

  /** Whether `ancestor` is on the way from the root to `id`, `id` itself included. */
  isAbove(ancestor: EventId, id: EventId | null): boolean {
    for (let at = id; at !== null; at = this.parentOf(at)) if (at === ancestor) return true;
    return false;
  }

  /** From now on a key means this path event. */
  alias(key: unknown, id: EventId | null): void {
    if (typeof key === "string") this.places.set(key, id);
  }

  /** An event of the conversation, which goes on behind it. */
  path<T extends EventType>(type: T, payload: Events[T], place: Place): EventId {
    const id = this.add(type, payload, place);
    this.parents.set(id, this.placeOf(place.parent));
    this.alias(place.key, id);
    this.leaf = id;
    if (type === "message") this.report.messages++;
    return id;
  }

  /** An event that hangs beside the conversation. */
  beside<T extends EventType>(type: T, payload: Events[T], place: Place): EventId {
    this.alias(place.key, this.placeOf(place.parent));
    return this.add(type, payload, place);
  }

  /** The conversation goes on at `target`, which is a path event or the start. */
  jump(target: EventId | null, place: Place): void {
    this.beside("rewind", { targetEventId: target }, place);
    this.leaf = target;
  }

  /** Keeps a record that corresponds to nothing here. */
  unknown(type: string, record: unknown, place: Place): void {
    this.report.keep(type);
    const kind = lineOf(`${this.source}:${type}`, 80);
    this.beside("custom", { kind, data: { hidden: true, record } }, place);
  }

  private add(type: string, payload: object, place: Place): EventId {
    const id = isId(place.id) && !this.ids.has(place.id) ? place.id : newId();
    const parentId = this.placeOf(place.parent);
    this.ids.add(id);
    this.ts = this.timeOf(place.ts);
    const clientId = lineOf(place.clientId, 64) || "import";
    const { sessionId, ts } = this;
    this.write({ type, id, parentId, seq: ++this.size, sessionId, clientId, ts, ...payload });
    return id;
  }

  timeOf(ts: unknown): number {
    const known = typeof ts === "string" ? Date.parse(ts) : ts;
    if (typeof known !== "number" || !Number.isFinite(known) || known < 0) return this.ts;
    return Math.min(Math.floor(known), this.at);
  }
}
