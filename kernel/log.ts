import { messageOf } from "@scorel/kit/values/coded-error";
import { freezeFields } from "@scorel/kit/values/copy";
import { frozenAsJson } from "@scorel/kit/values/freeze";
import { newId } from "@scorel/kit/values/id";
import { Announcer } from "./announcer.ts";
import { Broadcast } from "./broadcast.ts";
import { Converters } from "./converters.ts";
import { type Draft, Drafts } from "./drafts.ts";
import { errors } from "./errors.ts";
import { type AnyEntry, PathGate, type Written } from "./hold.ts";
import { Images, lossIn } from "./log-image.ts";
import type { Guarded } from "./plugin.ts";
import { Projections } from "./projections.ts";
import type { Registry } from "./registry.ts";
import { linkRows } from "./relink.ts";
import { RememberedContext } from "./remembered-context.ts";
import type { AppendEntry, Appended, AppendOptions, PathHold, Queued, Session } from "./session.ts";
import type { Opened, Problem, Store } from "./store.ts";
import { Syncer } from "./syncer.ts";
import { Tree } from "./tree.ts";
import type {
  AnyEvent,
  ConvertContext,
  DisplayAction,
  EventId,
  Events,
  EventType,
  LlmAction,
  Message,
  ProjectionName,
  Projections as ProjectionRows,
  SessionHeader,
  StoredEvent,
  TransientOf,
  Transients,
  TransientType,
} from "./types.ts";
import { parsePayload } from "./validate.ts";

export interface LogOptions {
  store: Store;
  registry: Registry;
  /** Projections of the parent kernel, read when this log has none of that name. */
  parentProjections?: Projections;
  clientId: string;
  stopping: AbortSignal;
  now(): number;
  newId(): string;
  find: ConvertContext["find"];
  report(plugin: string, where: string, thrown: unknown): void;
  guard<T>(guarded: Guarded<T>, work: () => T): T;
}

/**
 * One append-only log with everything that follows from it. The writer's turn is synchronous: parent
 * and check are resolved against all earlier appends, the record is written, and only then do tree and
 * projections change and others hear of it, in seq order.
 */
export class Log implements Session {
  readonly tree = new Tree((text) => this.search(text));
  readonly header: SessionHeader;
  readonly activation: string;
  readonly stopping: AbortSignal;
  readonly problems: readonly Problem[];
  readonly readOnly: string | undefined;
  readonly broadcast = new Broadcast();
  readonly projections: Projections;
  private readonly converters: Converters;
  private readonly context: RememberedContext;
  private readonly drafts: Drafts;
  private readonly options: LogOptions;
  private readonly opened: Opened;
  private readonly announcer = new Announcer(this.broadcast);
  private readonly syncer: Syncer;
  private readonly gate: PathGate;
  private readonly images: Images;
  private storedEpoch: string;
  private lastSeq = 0;
  private writing = false;
  private closed = false;
  private storageFailed = false;

  constructor(options: LogOptions) {
    this.options = options;
    const lookup: ConvertContext = { get: (id) => this.tree.get(id), find: options.find };
    this.opened = options.store.open((problem) => this.damaged(problem));
    this.header = this.opened.header;
    this.problems = this.opened.problems;
    this.readOnly = this.opened.readOnly;
    this.storedEpoch = this.header.epoch;
    this.activation = options.newId();
    this.stopping = options.stopping;
    this.projections = new Projections(this.tree, options.store, options.report, options.parentProjections);
    this.converters = new Converters({ ...options, lookup });
    this.images = new Images(this.opened, this.tree, this.projections, options.registry);
    this.context = new RememberedContext(this.tree);
    const { tree, converters, id: sessionId } = this;
    this.drafts = new Drafts({ ...options, tree, converters, lookup, view: this, sessionId });
    this.syncer = new Syncer(options.store, (error) => this.storageStatus(error));
    this.gate = new PathGate({
      write: (entries) => this.write(entries),
      movesTo: (entry) => this.drafts.movesTo(entry),
      newId: options.newId,
      report: (thrown) => options.report("kernel", "queued append", thrown),
    });
  }

  get id(): string {
    return this.header.sessionId;
  }
  get epoch(): string {
    return this.storedEpoch;
  }
  get seq(): number {
    return this.lastSeq;
  }
  get activeLeaf(): EventId | null {
    return this.tree.activeLeaf;
  }
  get isClosed(): boolean {
    return this.closed;
  }
  get held(): boolean {
    return this.gate.held;
  }

  /** Links what the store held; called once, when all event types and projections are registered. */
  replay(): void {
    const { store, registry } = this.options;
    const onFailure = (event: StoredEvent, thrown: unknown) => this.converters.failed(event, "leaf", thrown);
    const kept = this.images.take();
    linkRows(this.tree, kept?.rows ?? 0, { store, registry, onFailure });
    this.lastSeq = Math.max(this.lastSeq, this.opened.ledger.lastSeq);
    for (const event of this.tree.ofType("epoch")) this.storedEpoch = (event as StoredEvent & Events["epoch"]).epoch;
    const loss = this.readOnly === undefined ? lossIn(this.problems, this.tree) : undefined;
    if (loss) this.write([{ type: "epoch", payload: { epoch: newId(), ...loss } }]);
    if (!kept) store.keep?.(() => this.images.make(), 0);
  }

  async append<T extends EventType>(
    type: T,
    payload: Events[T],
    options: AppendOptions = {},
  ): Promise<Appended<T> | (Queued & Partial<Appended<T>>)> {
    const entry: AnyEntry = { ...options, type, payload };
    const queued = this.gate.admit(entry);
    if (queued) return queued as Queued & Partial<Appended<T>>;
    const { events, synced } = this.write([entry]);
    if (synced) await synced;
    return events[0] as unknown as Appended<T>;
  }

  async appendAll(entries: readonly AppendEntry[]): Promise<StoredEvent[]> {
    const admitted = entries as readonly AnyEntry[];
    for (const entry of admitted) this.gate.refuse(entry);
    const { events, synced } = this.write(admitted);
    if (synced) await synced;
    return events;
  }

  emit<T extends TransientType>(type: T, payload: Transients[T], options: { clientId?: string } = {}): TransientOf<T> {
    if (this.closed) throw errors.LOG_CLOSED();
    const { schema, quick } = this.options.registry.transient(type);
    const checked = quick?.(payload) ?? parsePayload(type, schema, payload);
    const event = freezeFields({
      type,
      seq: ++this.lastSeq,
      sessionId: this.id,
      clientId: options.clientId ?? this.options.clientId,
      ts: this.options.now(),
      ...checked,
    }) as unknown as AnyEvent;
    this.announcer.announce(event, this.options.store.stage?.(event));
    return event as TransientOf<T>;
  }

  buildContext(leaf: EventId | null = this.activeLeaf): Message[] {
    return this.context.build(leaf, this.converters.reading());
  }

  asRead(event: StoredEvent): LlmAction {
    return this.converters.reading().toLlm(event);
  }

  projection<N extends ProjectionName>(name: N): ProjectionRows[N] {
    return this.projections.get(name) as ProjectionRows[N];
  }

  display(event: AnyEvent): DisplayAction {
    return this.converters.display(event);
  }

  asListened(event: AnyEvent): AnyEvent {
    return this.converters.asListened(event);
  }

  hold(): PathHold {
    return this.gate.hold();
  }

  synced(): Promise<void> {
    return this.syncer.synced();
  }

  get joinsDeltas(): boolean {
    return this.broadcast.joined;
  }

  /** Resolves when all announced so far has been heard. */
  drained(): Promise<void> {
    return this.announcer.drained();
  }

  /** Plugins are about to go, and with them what only they know of the log. */
  settle(): void {
    this.images.settle();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    try {
      await this.syncer.close();
      this.options.store.keep?.(() => this.images.make(), this.projections.replayed);
    } finally {
      await this.options.store.close();
    }
  }

  /** In a log that others wrote, records may be spaced in other ways than ours. */
  private search(text: string): readonly number[] | undefined {
    return this.header.checksum === undefined ? undefined : this.options.store.search(text, 0);
  }

  /** The writer's turn: all of it happens before anyone else runs. */
  private write(entries: readonly AnyEntry[]): Written {
    if (this.closed) throw errors.LOG_CLOSED();
    if (this.writing) throw errors.LOG_REENTRANT();
    this.writing = true;
    try {
      const drafts = this.drafts.all(entries);
      // Numbered last: what a converter's failure emitted meanwhile has its own numbers.
      let seq = this.lastSeq;
      for (const { event } of drafts) event.seq = ++seq;
      const records = drafts.map(({ event }) => JSON.stringify(event));
      const kept = drafts.map(({ event }, index) => frozenAsJson(event, records[index] as string));
      this.store(records, kept);
      return this.publish(drafts, kept);
    } finally {
      this.writing = false;
    }
  }

  private store(records: readonly string[], events: readonly StoredEvent[]): void {
    try {
      this.options.store.append(records, events);
    } catch (thrown) {
      this.storageStatus(messageOf(thrown));
      throw thrown;
    }
  }

  /** Links what was written and lets others hear, in seq order; where a type asks, they hear once it is on disk. */
  private publish(drafts: readonly Draft[], events: StoredEvent[]): Written {
    this.lastSeq += drafts.length;
    this.syncer.touch();
    const synced = drafts.some(({ durable }) => durable) ? this.syncer.synced() : undefined;
    const first = this.tree.size;
    for (let index = 0; index < drafts.length; index++) {
      const { leaf, durable } = drafts[index] as Draft;
      const event = events[index] as StoredEvent;
      if (event.type === "epoch") this.storedEpoch = (event as StoredEvent & Events["epoch"]).epoch;
      this.tree.add(event, leaf);
      this.announcer.announce(event, durable ? synced : undefined);
    }
    for (let index = 0; index < events.length; index++)
      this.projections.advance(events[index] as StoredEvent, first + index);
    if (this.storageFailed) this.storageStatus();
    return synced ? { events, synced } : { events };
  }

  private storageStatus(error?: string): void {
    this.storageFailed = error !== undefined;
    if (!this.closed) this.emit("storage_status", error === undefined ? {} : { error });
  }

  /** A record that was whole when the log was opened: what it said is gone, and everything goes on without it. */
  private damaged({ line, offset, reason }: Problem): void {
    const where = `line ${line}, offset ${offset}`;
    this.options.report("kernel", "reading the log", errors.LOG_DAMAGED({ where, reason, sessionId: this.id }));
  }
}
