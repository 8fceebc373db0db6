import { type EventId, type Events, newId, type StoredEvent } from "@scorel/kernel";
import { isId } from "@scorel/kit/values/id";
import type {} from "@scorel/messages/contract";
import { lineOf } from "../json.ts";
import type { Report } from "./report.ts";

/** The position of a record in the imported file. */
export interface Place {
  /** The record's id there, which its children refer to. */
  key?: string | undefined;
  /** Key of the parent: null for a root, undefined for the preceding record. */
  parent?: string | null | undefined;
  /** Milliseconds since the epoch; if invalid, the time of the preceding event is used. */
  ts?: unknown;
  /** Id for the new event, if it is valid and not used yet. */
  id?: unknown;
  clientId?: unknown;
}

/** The parent of a path event, its depth, and an event farther above, so that any event above is found in a few steps. */
interface Link {
  parent: EventId | null;
  depth: number;
  jump: EventId | null;
}

/** Builds the tree of a new session event by event. A record with an unknown parent is attached to the current leaf. */
export class TreeBuilder {
  /** The active leaf after the events so far. */
  leaf: EventId | null = null;
  size = 0;
  private readonly at: number;
  private readonly sessionId: string;
  private readonly source: string;
  private readonly report: Report;
  private readonly write: (event: StoredEvent) => void;
  private readonly places = new Map<string, EventId | null>();
  private readonly parents = new Map<EventId, Link>();
  private readonly ids = new Set<EventId>();
  private ts = 0;

  constructor(options: {
    sessionId: string;
    source: string;
    /** Time of the import. Later times are reduced to it. */
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

  /** Returns the path event for a key, or the one it is attached to. */
  placeOf(key: string | null | undefined): EventId | null {
    if (key === null) return null;
    const known = key === undefined ? undefined : this.places.get(key);
    return known === undefined ? this.leaf : known;
  }

  knows(key: unknown): key is string {
    return typeof key === "string" && this.places.has(key);
  }

  parentOf(id: EventId): EventId | null {
    return this.parents.get(id)?.parent ?? null;
  }

  /** Returns true when `ancestor` is `id` or one of its ancestors. */
  isAbove(ancestor: EventId, id: EventId | null): boolean {
    const depth = this.depthOf(ancestor);
    let at = id;
    while (at !== null && this.depthOf(at) > depth) {
      const { parent, jump } = this.parents.get(at) as Link;
      at = this.depthOf(jump) >= depth ? jump : parent;
    }
    return at === ancestor;
  }

  /** Makes a key refer to the given path event. */
  alias(key: unknown, id: EventId | null): void {
    if (typeof key === "string") this.places.set(key, id);
  }

  /** Adds an event to the conversation; it becomes the leaf. */
  path<T extends keyof Events>(type: T, payload: Events[T], place: Place): EventId {
    const id = this.add(type, payload, place);
    this.parents.set(id, this.linkTo(this.placeOf(place.parent)));
    this.alias(place.key, id);
    this.leaf = id;
    if (type === "message") this.report.messages++;
    return id;
  }

  /** Adds a side event. */
  beside<T extends keyof Events>(type: T, payload: Events[T], place: Place): EventId {
    this.alias(place.key, this.placeOf(place.parent));
    return this.add(type, payload, place);
  }

  /** Makes the conversation continue at `target`, a path event, or null for the start. */
  jump(target: EventId | null, place: Place): void {
    this.beside("rewind", { targetEventId: target }, place);
    this.leaf = target;
  }

  /** Keeps a record without an equivalent here as a hidden event. */
  unknown(type: string, record: unknown, place: Place): void {
    this.report.keep(type);
    const kind = lineOf(`${this.source}:${type}`, 80);
    this.beside("custom", { kind, data: { hidden: true, record } }, place);
  }

  /** The number of events above a path event; -1 for none. */
  private depthOf(id: EventId | null): number {
    return id === null ? -1 : (this.parents.get(id)?.depth ?? -1);
  }

  /** Two jumps of the same length one after the other are continued by one that is as long as both. */
  private linkTo(parent: EventId | null): Link {
    const depth = this.depthOf(parent) + 1;
    const jump = this.jumpOf(parent);
    const next = this.jumpOf(jump);
    const isPair = this.depthOf(parent) - this.depthOf(jump) === this.depthOf(jump) - this.depthOf(next);
    return { parent, depth, jump: isPair ? next : parent };
  }

  private jumpOf(id: EventId | null): EventId | null {
    return id === null ? null : (this.parents.get(id)?.jump ?? null);
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
