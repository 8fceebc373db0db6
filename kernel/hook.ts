import type { AnyEvent, Awaitable, HookName, Hooks } from "./types.ts";

/** `early` layers run before `normal` ones, `late` layers after them. Layers of the same level run in load order. */
export type Level = "early" | "normal" | "late";

/**
 * How a native hook combines the results of its layers. `waterfall`: each layer receives the value that the previous one
 * returned. `bail`: the first result other than `undefined` ends the chain. `fold`: the owner's function merges each result
 * into the input, and later layers receive the merged input.
 */
export type HookMode = "waterfall" | "bail" | FoldMode<any>;
/** The mode of a hook whose owner merges results. `fold` returns the input with a result merged in. */
export interface FoldMode<H extends (...args: any) => any> {
  fold(input: Parameters<H>[0], result: NonNullable<Awaited<ReturnType<H>>>): Parameters<H>[0];
  /** Whether a result ends the chain. Default: no result does. */
  ends?(result: NonNullable<Awaited<ReturnType<H>>>): boolean;
}

/** One layer on a native hook. */
export interface Tap<H> {
  handler: H;
  level?: Level;
  /** Makes the layer a guard: if it throws or exceeds its limit, the action is denied. Other layers are skipped instead. */
  critical?: boolean;
  /** Time limit in milliseconds, or `false` for no limit. Default: 30,000. */
  limit?: number | false;
}

/** Calls a waterfall or bail hook. Returns the final value (waterfall) or the first result (bail). */
export interface HookCall<N extends HookName> extends LayerCount {
  (input: Parameters<Hooks[N]>[0], signal?: AbortSignal): Promise<HookOutcome<Hooks[N]>>;
}
/** Calls a fold hook. Returns the input with every layer's result merged in. */
export interface FoldCall<N extends HookName> extends LayerCount {
  (input: Parameters<Hooks[N]>[0], signal?: AbortSignal): Promise<Parameters<Hooks[N]>[0]>;
}
interface LayerCount {
  /** The current number of layers. If it is 0, the owner of the hook can skip building an expensive input. */
  readonly layers: number;
}
export type HookOutcome<H> = H extends (...args: any) => infer R ? Awaited<R> : never;

/** Options of a subscription to events. */
export interface SubscribeOptions {
  /** Events that may wait in the subscriber's queue. Beyond that, transient events are dropped and `missed` is sent. Default: 10,000. */
  capacity?: number;
  /**
   * Limits the estimated size of the waiting events, and the time that the oldest of them has waited, in the same way. Default: no limit.
   */
  maxBytes?: number;
  maxAgeMs?: number;
  /** Accept consecutive deltas joined into one event, which costs much less. Default: false. */
  joined?: boolean;
  /** Events to deliver before those that are announced from now on, such as stored ones. They are read one at a time. */
  first?: AsyncIterable<Iterable<AnyEvent>>;
}
/** Sent to a subscriber whose queue overflowed: transient events in this seq range were dropped. */
export interface Missed {
  type: "missed";
  from: number;
  to: number;
}
export type Listener = (event: AnyEvent | Missed) => Awaitable<void>;
