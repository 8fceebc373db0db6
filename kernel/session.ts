import type { TreeView } from "./tree-view.ts";
import type {
  AnyEvent,
  DisplayAction,
  EventId,
  EventOf,
  Events,
  EventType,
  LlmAction,
  Message,
  ProjectionName,
  Projections,
  SessionHeader,
  StoredEvent,
  TransientOf,
  Transients,
  TransientType,
} from "./types.ts";

/** The log as the `check` of an append sees it: the state after every earlier append. */
export interface LogView {
  readonly tree: TreeView;
  readonly activeLeaf: EventId | null;
  projection<N extends ProjectionName>(name: N): Projections[N];
}

export interface AppendOptions {
  /** Default: the active leaf at the moment of writing. */
  parentId?: EventId | null;
  /** Who caused it. Default: the kernel's own client id. */
  clientId?: string;
  /** A pre-allocated id, as announced by `message_start`. */
  id?: EventId;
  /** Runs in the writer's turn, in `appendAll` before any of the batch; throwing rejects the append and uses no seq. */
  check?(view: LogView): void;
}
/** One entry of `appendAll`. */
export type AppendEntry = { [T in EventType]: { type: T; payload: Events[T] } & AppendOptions }[EventType];

/** The result of an append from inside a running turn: the event will be written later, under this id. */
export interface Queued {
  id: EventId;
  queued: true;
}
export type Appended<T extends EventType> = EventOf<T> & { queued?: undefined };

/** The right to append path events while everyone else's wait (held by the loop during a turn). */
export interface PathHold {
  append<T extends EventType>(type: T, payload: Events[T], options?: AppendOptions): Promise<Appended<T>>;
  appendAll(entries: readonly AppendEntry[]): Promise<StoredEvent[]>;
  /** Writes what waits, lets anyone append directly while `work` runs, then closes again. */
  open<R>(work: () => Promise<R>): Promise<R>;
  /** Ends the hold and writes what still waits. */
  release(): Promise<void>;
}

/** One log with its tree and projections: the part of the kernel that plugins work with. */
export interface Session {
  readonly id: string;
  readonly header: SessionHeader;
  /** Stored; changes when the log loses bytes. */
  readonly epoch: string;
  /** New at every open. */
  readonly activation: string;
  /** seq of the latest event, persistent or transient; 0 before the first. */
  readonly seq: number;
  readonly tree: TreeView;
  readonly activeLeaf: EventId | null;
  append<T extends EventType>(
    type: T,
    payload: Events[T],
    options?: AppendOptions,
  ): Promise<Appended<T> | (Queued & Partial<Appended<T>>)>;
  /** Several events in one write: all of them, or none. */
  appendAll(entries: readonly AppendEntry[]): Promise<StoredEvent[]>;
  /** Numbers and announces; never written. */
  emit<T extends TransientType>(type: T, payload: Transients[T], options?: { clientId?: string }): TransientOf<T>;
  /** The messages a model would read at `leaf` (default: the active leaf). */
  buildContext(leaf?: EventId | null): Message[];
  projection<N extends ProjectionName>(name: N): Projections[N];
  /** Converts one event for a model; `skip` for an event type that no plugin registered. */
  asRead(event: StoredEvent): LlmAction;
  /** How a face draws an event; a generic row for a type nobody registered. */
  display(event: AnyEvent): DisplayAction;
  /** An event as `onEvent` sees it: with the fields of the seed's and pi's event of the same type. */
  asListened(event: AnyEvent): AnyEvent;
  /** Takes the hold; throws LOG_BUSY when it is taken. */
  hold(): PathHold;
  readonly held: boolean;
  /** Aborts when the session begins to stop: from then on no tool runs and no model is asked. */
  readonly stopping: AbortSignal;
  /** Whether everyone who listens now takes deltas that arrive together as one. */
  readonly joinsDeltas: boolean;
  /** Resolves when everything written so far survives a power loss. */
  synced(): Promise<void>;
}
