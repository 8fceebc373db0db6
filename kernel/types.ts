import type { z } from "zod";

/**
 * The open tables. They are empty or nearly so here; plugins add rows by declaration merging in their `contract.ts`. The
 * kernel is generic over these rows and does not depend on any of them.
 */

/** Service name -> the object or function that plugins share at run time. */
export interface Services {
  /** Merges text into the preceding message. Returns `undefined` if that message cannot hold it. */
  mergeMessage: (previous: Message, content: string) => Message | undefined;
  /** Whether a value is a message that a language model can read. */
  isMessage: (value: unknown) => boolean;
}
/** Native hook name -> the function that each layer implements. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Hooks {}
/** Persistent event type -> payload. A payload must not use the keys of `Envelope`. */
export interface Events {
  /** The log lost bytes. Clients cannot resume from a seq that they saved before this event. */
  epoch: { epoch: string; reason: string; damage: number[] };
}
/** Transient event type -> payload. Transient events are numbered and announced but never written. */
export interface Transients {
  /** A plugin failed without stopping anything else. `where` names the hook, listener or contribution. */
  plugin_failure: { plugin: string; where: string; code: string; message: string; at?: string };
  /** The log could not be written (`error` is set), or it can be written again (`error` is absent). */
  storage_status: { error?: string };
}
/** Contribution name -> the type of one plugin's contribution. */
export interface Contributions {
  /**
   * Wrappers by service name. A wrapper receives the service and returns the members that it changes; the other members stay. If
   * several plugins wrap a service, the first plugin's wrapper is the outermost. Wrappers take effect when all plugins have started, for
   * every later lookup (`ctx.files`, `ctx.find("files")`). A host plugin's wrapper of a service that sessions provide is called for each
   * session, with the session's id. Services that guard the model, that have a view for each plugin, or that Scorel gives to a session
   * cannot be wrapped.
   */
  serviceWrappers: ServiceWrappers;
}
/**
 * For each service, a function that returns the members that it changes; for a service that is a function, the function that replaces it.
 */
export type ServiceWrappers = {
  [N in ServiceName]?: (service: Services[N], session: { readonly id: string }) => Partial<Services[N]>;
};
/** Projection name -> its state. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Projections {}
/** Types that the kernel passes through: `message` for language models, `display` for people. */
// biome-ignore lint/suspicious/noEmptyInterface: an open table
export interface Types {}

/** A message returned by `buildContext`. The kernel never inspects it. */
export type Message = Types extends { message: infer M } ? M : unknown;
/** The form of an event for display to people. */
export type DisplayAction = Types extends { display: infer D } ? D : { display: string };
/** The type of `ctx.ui`: each plugin's own view of the service `ui`. */
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

/** The fields of every event. `seq` counts the persistent and transient events of a session together. */
export interface Envelope {
  type: string;
  seq: number;
  sessionId: string;
  clientId: string;
  /** Milliseconds since 1970. For display only: events are ordered by `seq`. */
  ts: number;
}
/** A persistent event of any type: a line of the log and a node of the tree. */
export interface StoredEvent extends Envelope {
  id: EventId;
  parentId: EventId | null;
}
/** A persistent event of a known type. */
export type EventOf<T extends EventType> = { [K in T]: StoredEvent & { type: K } & Events[K] }[T];
/** A transient event of a known type. */
export type TransientOf<T extends TransientType> = { [K in T]: Envelope & { type: K } & Transients[K] }[T];
/** Any event that a subscriber receives. */
export type AnyEvent = StoredEvent | Envelope;

/** The form of an event for a language model. */
export type LlmAction =
  | { action: "include"; message: Message }
  | { action: "merge_prev"; content: string; otherwise: Message }
  | { action: "skip" }
  /** Replaces everything before it with `summary`, except the events after the ancestor `after`, which are kept. */
  | { action: "barrier"; summary: Message; after?: EventId };

/** Lookups that are available while an event is converted. */
export interface ConvertContext {
  get(id: EventId): StoredEvent | undefined;
  /** Returns a service, or undefined if no loaded plugin provides it. */
  find<N extends ServiceName>(name: N): Services[N] | undefined;
}

/**
 * How an event relates to unfinished work, such as a reply that is still arriving. Clients that join during the work receive its
 * events in a condensed form, so that they show the same as clients that were connected from the start.
 */
export interface InFlight {
  /** The kind of work: `turn`, `message`, `call`. */
  work: string;
  /** The field that identifies the work, if several of a kind can be in flight at once: `toolCallId`. */
  id?: string;
  /**
   * How the event changes the kept events of the work. `add` (default): it is kept after them. `replace`: it replaces the
   * previous event of its type. `append`: its `text` is appended to that of the previous event, if that has the same type and
   * the same `block`. `end`: the work has ended, and all its events are dropped.
   */
  effect?: "add" | "replace" | "append" | "end";
  /** With `append`: the field that holds the text: `delta`. */
  text?: string;
  /** With `append`: the field that names the part of the work that the text belongs to: `blockIndex`. */
  block?: string;
}

/** How one persistent event type behaves: how it moves the active leaf, and how models and people see it. */
export interface EventDefinition<P = any> {
  /** The payload. It is checked when the event is appended or imported. */
  schema: z.ZodType<P>;
  /** Absent: the event is stored. */
  transient?: undefined;
  /** Announce the event only once it is synced to disk (fdatasync), not just written. Default: false. */
  durable?: boolean | ((event: any) => boolean);
  /**
   * Keep events of this type when a session is imported, if the plugin is loaded and the schema accepts them. Anyone may have
   * written an imported event, so the schema must be strict and the event must not grant or start anything. Not allowed for
   * types with `barrier`. Default: false.
   */
  importable?: boolean;
  /**
   * Which side events of this type a copy of the session gets: `beside` for those that follow an event of its conversation, `all` of them,
   * or the `latest`. Default: none. Path events belong to the conversation, and are always copied.
   */
  copied?: "beside" | "all" | "latest";
  /** Whether `convertToLlm` may return a `barrier`. Its `after` is validated when the event is appended. */
  barrier?: boolean;
  /**
   * Returns the active leaf after this event. Default: the event itself (a path event). Returning `current` makes it a side
   * event; returning another id makes it a jump (rewind, branch).
   */
  leaf?(event: any, current: EventId | null): EventId | null;
  /**
   * When a log is opened, `leaf` is called only for records of this type whose JSON contains this text. The others are taken
   * as path events without being read. Use it for very frequent types, so that long logs open fast.
   */
  leafReads?: string;
  /** Call `convertToLlm` again for every context, because its result for the same event may change. Default: false. */
  convertsAnew?: boolean;
  /** How the event relates to work in flight. Default: it does not. */
  inFlight?: InFlight;
  /** How a model reads the event. Default: returns `skip`. */
  convertToLlm?(event: any, context: ConvertContext): LlmAction;
  /** How clients show the event. Default: returns a generic row. */
  convertToDisplay?(event: any, context: ConvertContext): DisplayAction;
  /** Returns extra fields for the object that `onEvent` receives. */
  toListener?(event: any, context: ConvertContext): Record<string, unknown>;
}
/** How one transient event type behaves. */
export interface TransientDefinition<P = any> {
  /** The payload. It is checked when the event is emitted. */
  schema: z.ZodType<P>;
  /** The event is announced and never stored. */
  transient: true;
  /** A fast path for very frequent types: returns the payload's fields if it clearly fits the schema, so that the schema need not run. */
  quick?(payload: P): P | undefined;
  /** How the event relates to work in flight. Default: it does not. */
  inFlight?: InFlight;
  /** How clients show the event. Default: returns a generic row. */
  convertToDisplay?(event: any, context: ConvertContext): DisplayAction;
  /** Returns extra fields for the object that `onEvent` receives. */
  toListener?(event: any, context: ConvertContext): Record<string, unknown>;
}
export type AnyEventDefinition = EventDefinition | TransientDefinition;

/** The events that a projection needs: all of a type, or those whose JSON contains a text (plain characters). It may receive more. */
export type ProjectionRead = string | { type: string; containing: string };

/** State computed from the log's events by pure functions. The state must be serialisable and can be rebuilt at any time. */
export interface ProjectionDefinition<S = any> {
  /** The events that can change the state, so that others in a long log are not read. Default: all. */
  reads?: readonly ProjectionRead[];
  /** `log`: every persistent event in seq order. `path`: the path events from the root to the active leaf. */
  over: "log" | "path";
  /** The state before the first event. */
  init(): S;
  /** Returns the next state. Must not modify `state`. */
  update(state: S, event: any): S;
}

/** The header of a log, its first line. */
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

/** Writes to the diagnostic log (`scorel logs`). `data` is an error, or details to add to the line. */
export interface Logger {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}
