import type { z } from "zod";

/**
 * The open tables. Each starts (nearly) empty and is filled by plugins through declaration merging
 * in their `contract.ts`; the kernel is generic over them and knows none of their rows.
 */

/** Service name -> the object (or function) that plugins share at run time. */
export interface Services {
  /** Joins side-band text to the message directly before it; `undefined` when that message cannot carry it. */
  mergeMessage: (previous: Message, content: string) => Message | undefined;
  /** Whether a value is a message that a language model can read. */
  isMessage: (value: unknown) => boolean;
}
/** Native hook name -> the function a layer implements. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Hooks {}
/** Persistent event type -> payload. Envelope keys may not appear in a payload. */
export interface Events {
  /** The log lost bytes; anchors taken before it cannot be resumed by counting. */
  epoch: { epoch: string; reason: string; damage: number[] };
}
/** Transient event type -> payload: numbered and heard, never written. */
export interface Transients {
  /** A plugin failed somewhere it may not harm; `where` names the hook, listener or contribution. */
  plugin_failure: { plugin: string; where: string; code: string; message: string; at?: string };
  /** The log could not be written (`error`), or can be again (`error` absent). */
  storage_status: { error?: string };
}
/** Contribution name -> what one plugin contributes under it. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Contributions {}
/** Projection name -> its state. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Projections {}
/** Types the kernel only carries: `message` is what a language model reads, `display` how an event looks to a person. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Types {}

/** A message as `buildContext` yields it. The kernel never looks inside. */
export type Message = Types extends { message: infer M } ? M : unknown;
/** What faces draw of an event. */
export type DisplayAction = Types extends { display: infer D } ? D : { display: string };
/** What plugins have as `ctx.ui`, each in its own name: the service `ui`. */
export type Ui = Services extends { ui: infer U } ? U : unknown;

export type EventId = string;
export type Awaitable<T> = T | Promise<T>;
export type Dispose = () => Awaitable<void>;

export type ServiceName = keyof Services & string;
export type HookName = keyof Hooks & string;
export type EventType = keyof Events & string;
export type TransientType = keyof Transients & string;
export type ContributionName = keyof Contributions & string;
export type ProjectionName = keyof Projections & string;

/** Fields that every event bears. `seq` counts persistent and transient events of a session together. */
export interface Envelope {
  type: string;
  seq: number;
  sessionId: string;
  clientId: string;
  /** Milliseconds since the epoch; for people to read, never for ordering. */
  ts: number;
}
/** A line of the log and a node of the tree, whatever its type. */
export interface StoredEvent extends Envelope {
  id: EventId;
  parentId: EventId | null;
}
/** A persistent event of a known type. */
export type EventOf<T extends EventType> = { [K in T]: StoredEvent & { type: K } & Events[K] }[T];
/** A transient event of a known type. */
export type TransientOf<T extends TransientType> = { [K in T]: Envelope & { type: K } & Transients[K] }[T];
/** Anything a subscriber hears. */
export type AnyEvent = StoredEvent | Envelope;

/** The form of an event for a language model. */
export type LlmAction =
  | { action: "include"; message: Message }
  | { action: "merge_prev"; content: string; otherwise: Message }
  | { action: "skip" }
  /** Replaces all above it by `summary`; events after `after` (an ancestor, exclusive) are kept. */
  | { action: "barrier"; summary: Message; after?: EventId };

/** Lookups for a handler while it converts an event. */
export interface ConvertContext {
  get(id: EventId): StoredEvent | undefined;
  /** A service, when a loaded plugin provides it. */
  find<N extends ServiceName>(name: N): Services[N] | undefined;
}

/** How one persistent event type behaves: the seed's double converter, and how it moves the leaf. */
export interface EventDefinition<P = any> {
  schema: z.ZodType<P>;
  transient?: undefined;
  /** Announced only once on disk for good (fdatasync), not merely written. Default: no. */
  durable?: boolean | ((event: any) => boolean);
  /**
   * Events of this type survive an import into a place where the plugin is loaded, if the schema takes them: their writer may
   * be anyone, so the schema must be strict, and nothing that grants or starts something may follow from them. Not for types
   * with `barrier`. Default: no.
   */
  importable?: boolean;
  /** This type's `convertToLlm` may answer `barrier`; its `after` is checked at append. */
  barrier?: boolean;
  /**
   * The active leaf after this event. Default: the event itself (a path event). Returning `current`
   * makes it a side event; returning another id makes it a jump (rewind, branch).
   */
  leaf?(event: any, current: EventId | null): EventId | null;
  /**
   * Only a record whose JSON contains this text is shown to `leaf` when a log is opened; any other of this type is a
   * path event, unread. For types that are on nearly every line of a long log.
   */
  leafReads?: string;
  /** What `convertToLlm` answers about an event may change, so it is asked again for every context. Default: no. */
  convertsAnew?: boolean;
  /** Default: skip. */
  convertToLlm?(event: any, context: ConvertContext): LlmAction;
  /** Default: a generic row. */
  convertToDisplay?(event: any, context: ConvertContext): DisplayAction;
  /** Extra fields on the object that `onEvent` receives. */
  toListener?(event: any, context: ConvertContext): Record<string, unknown>;
}
/** How one transient event type behaves. */
export interface TransientDefinition<P = any> {
  schema: z.ZodType<P>;
  transient: true;
  /** For types that come by the thousand: the fields of a payload that plainly fits the schema, which is then not asked. */
  quick?(payload: P): P | undefined;
  convertToDisplay?(event: any, context: ConvertContext): DisplayAction;
  toListener?(event: any, context: ConvertContext): Record<string, unknown>;
}
export type AnyEventDefinition = EventDefinition | TransientDefinition;

/** Events that a projection looks at: all of a type, or at least those whose JSON contains a text of plain characters. */
export type ProjectionRead = string | { type: string; containing: string };

/** State folded from the log: pure, serialisable, rebuilt at will. */
export interface ProjectionDefinition<S = any> {
  /** The only events that can change it. Default: every one. Spares reading the others of a long log. */
  reads?: readonly ProjectionRead[];
  /** `log`: every persistent event in seq order. `path`: the path events from the root to the active leaf. */
  over: "log" | "path";
  init(): S;
  /** Returns the next state; never mutates `state`. */
  update(state: S, event: any): S;
}

/** Line 0 of a log. */
export interface SessionHeader {
  version: number;
  sessionId: string;
  deviceId: string;
  createdAt: number;
  epoch: string;
  checksum?: "crc32";
  clonedFrom?: { deviceId: string; sessionId: string; eventId: EventId };
  meta: Record<string, unknown>;
}

export interface Logger {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}
