import { newId } from "@scorel/kit/values/id";
import type { Failures } from "../calls/failures.ts";
import { errors } from "../errors.ts";
import { Context } from "../events/context.ts";
import { Converters } from "../events/converters.ts";
import { Projections } from "../events/projections.ts";
import type { Registry } from "../events/registry.ts";
import type { Listener, SubscribeOptions } from "../hook.ts";
import type { Broadcast } from "../hooks/broadcast.ts";
import type { AppendEntry, Appended, AppendOptions, PathHold, Queued, Session } from "../session.ts";
import type { Opened, Problem, Store } from "../store.ts";
import { Tree } from "../tree/tree.ts";
import type {
  AnyEvent,
  ConvertContext,
  DisplayAction,
  Dispose,
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
} from "../types.ts";
import { type AnyEntry, Drafts } from "./drafts.ts";
import { PathGate } from "./hold.ts";
import { Images, lossIn } from "./log-image.ts";
import { linkRows } from "./relink.ts";
import { Writer } from "./writer.ts";

interface LogOptions {
  store: Store;
  registry: Registry;
  failures: Failures;
  /** The parent kernel's log. Its projections are used if this log has no projection with a name. */
  parent?: Log;
  clientId: string;
  stopping: AbortSignal;
  now(): number;
  newId(): string;
  find: ConvertContext["find"];
}

/** One append-only log, the `ctx.session` of plugins. Appends go to the writer; reads use the tree and projections that it updates. */
export class Log implements Session {
  readonly tree = new Tree((text) => this.search(text));
  readonly header: SessionHeader;
  readonly activation: string;
  readonly stopping: AbortSignal;
  readonly problems: readonly Problem[];
  readonly readOnly: string | undefined;
  readonly projections: Projections;
  private readonly options: LogOptions;
  private readonly opened: Opened;
  private readonly converters: Converters;
  private readonly context: Context;
  private readonly writer: Writer;
  private readonly gate: PathGate;
  private readonly images: Images;

  constructor(options: LogOptions) {
    const { store, registry, failures } = options;
    this.options = options;
    this.opened = store.open((problem) => this.damaged(problem));
    this.header = this.opened.header;
    this.problems = this.opened.problems;
    this.readOnly = this.opened.readOnly;
    this.activation = options.newId();
    this.stopping = options.stopping;
    const { tree, header } = this;
    const lookup: ConvertContext = { get: (id) => tree.get(id), find: options.find };
    this.projections = new Projections({ tree, store, failures, parent: options.parent?.projections });
    this.converters = new Converters({ registry, lookup, failures });
    this.images = new Images(this.opened, tree, this.projections, registry);
    this.context = new Context(tree, this.converters);
    const { context, projections } = this;
    const clientId = () => this.gate.clientId ?? options.clientId;
    const drafts = new Drafts({ ...options, clientId, tree, context, lookup, view: this, sessionId: this.id });
    this.writer = new Writer({ ...options, clientId, header, tree, projections, drafts });
    this.gate = new PathGate({
      append: (entries) => this.writer.append(entries),
      movesTo: (entry) => drafts.movesTo(entry),
      newId: options.newId,
      report: (thrown) => failures.report("kernel", "queued append", thrown),
    });
  }

  get id(): string {
    return this.header.sessionId;
  }
  get epoch(): string {
    return this.writer.epoch;
  }
  get seq(): number {
    return this.writer.seq;
  }
  get activeLeaf(): EventId | null {
    return this.tree.activeLeaf;
  }
  get isClosed(): boolean {
    return this.writer.closed;
  }
  get held(): boolean {
    return this.gate.held;
  }
  get broadcast(): Broadcast {
    return this.writer.broadcast;
  }
  get joinsDeltas(): boolean {
    return this.broadcast.joined;
  }

  /** The seq of the latest event that subscribers got. Lower than `seq` while durable events are being synced to disk. */
  get announced(): number {
    return this.broadcast.last;
  }

  /** Links the stored records. Called once, after all event types and projections have been registered. */
  replay(): void {
    const { store, registry } = this.options;
    const { writer, tree } = this;
    const onFailure = (event: StoredEvent, thrown: unknown) => this.converters.failed(event, "leaf", thrown);
    const image = this.images.take();
    linkRows(tree, image?.rows ?? 0, { store, registry, onFailure });
    writer.seq = Math.max(writer.seq, this.opened.ledger.lastSeq);
    writer.broadcast.last = writer.seq;
    for (const event of tree.ofType("epoch")) writer.epoch = event.epoch;
    const loss = this.readOnly === undefined ? lossIn(this.problems, tree) : undefined;
    if (loss) writer.write([{ type: "epoch", payload: { epoch: newId(), ...loss } }]);
    if (!image) store.keep?.(() => this.images.make(), 0);
  }

  async append<T extends EventType>(
    type: T,
    payload: Events[T],
    options: AppendOptions = {},
  ): Promise<Appended<T> | (Queued & Partial<Appended<T>>)> {
    const entry: AnyEntry = { ...options, type, payload };
    const queued = this.gate.admit(entry);
    if (queued) return queued as Queued & Partial<Appended<T>>;
    // Not `writer.append`: its additional promise for each event would make a busy log a third slower.
    const { events, synced } = this.writer.write([entry]);
    if (synced) await synced;
    return events[0] as unknown as Appended<T>;
  }

  async appendAll(entries: readonly AppendEntry[]): Promise<StoredEvent[]> {
    for (const entry of entries as readonly AnyEntry[]) this.gate.refuse(entry);
    return this.writer.append(entries);
  }

  emit<T extends TransientType>(type: T, payload: Transients[T], options: { clientId?: string } = {}): TransientOf<T> {
    return this.writer.emit(type, payload, options.clientId) as TransientOf<T>;
  }

  buildContext(leaf: EventId | null = this.activeLeaf): Message[] {
    return this.context.build(leaf);
  }

  asRead(event: StoredEvent): LlmAction {
    return this.converters.toLlm(event);
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

  /** Adds a listener of a plugin. Its failures are counted as failures of the function `of`. */
  listen(plugin: string, listener: Listener, options: SubscribeOptions, of: object = listener): Dispose {
    return this.broadcast.subscribe({
      ...options,
      name: plugin,
      listener,
      reread: (from, to) => this.tree.range(from, to),
      onError: (thrown, { type }) =>
        this.options.failures.report(plugin, `onEvent ${type}`, thrown, { quietly: type === "plugin_failure", of }),
    });
  }

  hold(): PathHold {
    return this.gate.hold();
  }

  synced(): Promise<void> {
    return this.writer.syncer.synced();
  }

  /** Resolves when every subscriber has processed all events announced so far. */
  drained(): Promise<void> {
    return this.writer.announcer.drained();
  }

  /** Saves the parts of the image that depend on plugins. Called before they are unloaded. */
  captureState(): void {
    this.images.captureState();
  }

  /** Syncs the log to disk, saves its image and closes it. Must be called only once. */
  async close(): Promise<void> {
    this.writer.closed = true;
    try {
      await this.writer.syncer.close();
      this.options.store.keep?.(() => this.images.make(), this.projections.replayed);
    } finally {
      await this.options.store.close();
    }
  }

  /** Searches the records' JSON. Logs without checksums may be from other programs, with other spacing, so they are not searched. */
  private search(text: string): readonly number[] | undefined {
    return this.header.checksum === undefined ? undefined : this.options.store.search(text, 0);
  }

  /** Reports a record that was intact when the log was opened and can no longer be read. The log is used without it. */
  private damaged({ line, offset, reason }: Problem): void {
    const where = `line ${line}, offset ${offset}`;
    this.options.failures.report(
      "kernel",
      "reading the log",
      errors.LOG_DAMAGED({ where, reason, sessionId: this.id }),
    );
  }
}
