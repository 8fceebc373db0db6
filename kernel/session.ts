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

/** The log as the `check` of an append sees it, with all earlier appends applied. */
export interface LogView {
  readonly tree: TreeView;
  readonly activeLeaf: EventId | null;
  projection<N extends ProjectionName>(name: N): Projections[N];
}

/** Options of an append. */
export interface AppendOptions {
  /** Default: the active leaf when the event is written. */
  parentId?: EventId | null;
  /** The client that caused the event. Default: the client that the current hold works for (`answer`), else the kernel's own client id. */
  clientId?: string;
  /** An id allocated in advance, such as the one that `message_start` announced. */
  id?: EventId;
  /** Runs synchronously before the event (or any event of its batch) is written. If it throws, nothing is written. */
  check?(view: LogView): void;
}
/** One entry of `appendAll`. */
export type AppendEntry = { [T in EventType]: { type: T; payload: Events[T] } & AppendOptions }[EventType];

/** The result of an append while someone else holds the path: the event will be written later, with this id. */
export interface Queued {
  id: EventId;
  queued: true;
}
export type Appended<T extends EventType> = EventOf<T> & { queued?: undefined };

/**
 * The exclusive right to append path events. The agent holds it during a turn, and path events of others wait. After `release`, its
 * `append`, `appendAll` and `open` reject with LOG_HOLD_ENDED.
 */
export interface PathHold {
  append<T extends EventType>(type: T, payload: Events[T], options?: AppendOptions): Promise<Appended<T>>;
  appendAll(entries: readonly AppendEntry[]): Promise<StoredEvent[]>;
  /** Writes the waiting events and lets anyone append until `work` has finished. */
  open<R>(work: () => Promise<R>): Promise<R>;
  /** Sets the client on whose behalf the holder works. Until the hold ends, events that name no client get this client's id. */
  answer(clientId: string | undefined): void;
  /** Ends the hold and writes the waiting events. */
  release(): Promise<void>;
}

/** One log with its tree and projections, as plugins use it. */
export interface Session {
  /** The session's id, which names its log. */
  readonly id: string;
  /** The first line of the log. */
  readonly header: SessionHeader;
  /** Identifies the log's history. It is stored, and changes when the log loses bytes. */
  readonly epoch: string;
  /** Identifies the time from opening the session to closing it; different at every open. */
  readonly activation: string;
  /** The seq of the latest event, persistent or transient, or 0 if there are no events. */
  readonly seq: number;
  /** Read access to the events and how they hang together. */
  readonly tree: TreeView;
  /** The event that the next path event will hang from; null in an empty session. */
  readonly activeLeaf: EventId | null;
  /**
   * Writes a persistent event, and resolves when it is written. While someone else holds the path, a path event waits, and
   * `append` resolves at once with the id that it will have.
   */
  append<T extends EventType>(
    type: T,
    payload: Events[T],
    options?: AppendOptions,
  ): Promise<Appended<T> | (Queued & Partial<Appended<T>>)>;
  /** Appends several events in one write: either all of them or none. */
  appendAll(entries: readonly AppendEntry[]): Promise<StoredEvent[]>;
  /** Numbers and announces a transient event, which is never written to the log. */
  emit<T extends TransientType>(type: T, payload: Transients[T], options?: { clientId?: string }): TransientOf<T>;
  /** Builds the messages that a model reads at `leaf`. Default: the active leaf. */
  buildContext(leaf?: EventId | null): Message[];
  /** The current state of a projection. An extension gets a frozen copy. */
  projection<N extends ProjectionName>(name: N): Projections[N];
  /** Converts one event for a model. Returns `skip` for an event type that no plugin registered. */
  asRead(event: StoredEvent): LlmAction;
  /** Converts one event for display. Returns a generic row for an event type that no plugin registered. */
  display(event: AnyEvent): DisplayAction;
  /** Adds the fields that the event type's `toListener` returns, as listeners receive the event in `onEvent`. */
  asListened(event: AnyEvent): AnyEvent;
  /** Takes the hold on the path. Throws LOG_BUSY if someone else has it. */
  hold(): PathHold;
  /** Whether someone holds the path, as the agent does during a turn. */
  readonly held: boolean;
  /** Aborts when the session begins to stop. After that, no tool runs and no model is called. */
  readonly stopping: AbortSignal;
  /** Whether every current subscriber accepts consecutive deltas joined into one. */
  readonly joinsDeltas: boolean;
  /** Resolves when everything written so far is on disk and survives a power loss. */
  synced(): Promise<void>;
}
