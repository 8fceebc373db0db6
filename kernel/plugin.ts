import type { z } from "zod";
import type { PendingCalls } from "./pending-calls.ts";
import type { Session } from "./session.ts";
import type {
  AnyEvent,
  AnyEventDefinition,
  Awaitable,
  ContributionName,
  Contributions,
  Dispose,
  HookName,
  Hooks,
  Logger,
  ProjectionDefinition,
  ServiceName,
  Services,
  Ui,
} from "./types.ts";

/** `early` layers run before `normal` ones, `late` ones after; ties go by load order. */
export type Level = "early" | "normal" | "late";

/**
 * How the layers of a native hook combine. `waterfall`: each gets the value the one before returned.
 * `bail`: the first answer other than `undefined` ends the chain. `fold`: each answer is joined into
 * the input by the owner's function, and later layers see the joined input.
 */
export type HookMode = "waterfall" | "bail" | FoldMode<any>;
export interface FoldMode<H extends (...args: any) => any> {
  fold(input: Parameters<H>[0], answer: NonNullable<Awaited<ReturnType<H>>>): Parameters<H>[0];
}

/** One layer on a native hook. */
export interface Tap<H> {
  handler: H;
  level?: Level;
  /** A guard: when it throws or outlives its limit, the action is denied instead of the layer skipped. */
  critical?: boolean;
  /** Milliseconds the layer may take; `false` for no limit. Default 30,000. */
  limit?: number | false;
}

/** What the owner of a waterfall or bail hook calls: answers the chain's value or first answer. */
export type HookCall<N extends HookName> = (
  input: Parameters<Hooks[N]>[0],
  signal?: AbortSignal,
) => Promise<HookOutcome<Hooks[N]>>;
/** What the owner of a fold hook calls: answers the input with every layer's answer joined in. */
export type FoldCall<N extends HookName> = (
  input: Parameters<Hooks[N]>[0],
  signal?: AbortSignal,
) => Promise<Parameters<Hooks[N]>[0]>;
export type HookOutcome<H> = H extends (...args: any) => infer R ? Awaited<R> : never;

export interface SubscribeOptions {
  /** Events the subscriber may lag behind before transients are dropped and `missed` says so. Default 10,000. */
  capacity?: number;
  /** Deltas that arrive together may come as one, which costs much less. Default: each comes by itself. */
  joined?: boolean;
}
/** Told to a subscriber whose queue overflowed: transients in this range of seq were dropped. */
export interface Missed {
  type: "missed";
  from: number;
  to: number;
}
export type Listener = (event: AnyEvent | Missed) => Awaitable<void>;

/**
 * Throws about what is no contribution of the kind. It may answer a value to take instead: one without the parts that cannot be
 * used, each reported once with `flaw`, so that one bad part takes no others with it.
 */
export type CheckContribution = (value: unknown, plugin: string, flaw: (thrown: unknown) => void) => unknown;

/** How to call a function that a plugin contributed. */
export interface Guarded<T> {
  plugin: string;
  /** The function, as people know it: `access of tool Deploy`. */
  where: string;
  otherwise: Awaited<T>;
  /** Milliseconds a promise may take. Default 10,000. */
  limit?: number;
  /** Only a contained plugin's failure is reported: that of another is no surprise. */
  containedOnly?: boolean;
}
/** The calls of plugins that others wait for. */
export type Calls = Pick<PendingCalls, "run" | "begin" | "of" | "pauseLimit">;
/** The cost of an action that a plugin is charged for, in stored and in transient events. */
export type Cost = { written?: number; told?: number };
/** The contribution of one plugin under a name. */
export interface Collected<V> {
  plugin: string;
  value: V;
}

/** What every plugin's functions get; services named in `needs` are properties beside these. */
export interface BaseContext<C = unknown> {
  /** The plugin's id. */
  readonly plugin: string;
  /** The table `[id]` of the configuration, checked by the plugin's own schema. */
  readonly config: C;
  readonly logger: Logger;
  /** Aborts when the plugin or its session begins to stop. */
  readonly signal: AbortSignal;
  /** The log this kernel keeps: read side, append and emit. */
  readonly session: Session;
  /** Asks and tells the people who watch; it is there without being needed, and has defaults where nobody is. */
  readonly ui: Ui;
  /** Publishes a service named in `provides`. */
  provide<N extends ServiceName>(name: N, service: Services[N]): void;
  /** A service, looked up now: here, else in the parent kernel. */
  find<N extends ServiceName>(name: N): Services[N] | undefined;
  /**
   * Declares a native hook; only the declarer can call it. `check` throws about what is no answer to it: the layer that gave
   * it has failed.
   */
  defineHook<N extends HookName>(name: N, mode: "waterfall" | "bail", check?: (answer: unknown) => void): HookCall<N>;
  defineHook<N extends HookName>(name: N, mode: FoldMode<Hooks[N]>, check?: (answer: unknown) => void): FoldCall<N>;
  /** Adds a layer to a native hook; returns its undo. */
  hook<N extends HookName>(name: N, tap: Hooks[N] | Tap<Hooks[N]>): Dispose;
  /**
   * What all plugins contribute under a name, in load order, the parent kernel's first. What `check` throws about is left
   * out, as a failure of its plugin.
   */
  collect<N extends ContributionName>(name: N, check?: CheckContribution): Collected<Awaited<Contributions[N]>>[];
  /** Hears every event in seq order, in its own queue. */
  subscribe(listener: Listener, options?: SubscribeOptions): Dispose;
  /**
   * Ends running work when the plugin or its session begins to stop. All plugins' work is ended and waited for before the
   * first plugin is unloaded, so that guards, services and the log are still there.
   */
  beforeStop(end: Dispose): void;
  /** Runs when the plugin stops, in reverse order of registration; the answer runs it now instead. */
  onDispose(dispose: Dispose): Dispose;
  /**
   * Reports something that went wrong in `where` without harming the caller; of what was collected, in its plugin's name.
   * With an empty `where` it is no failure of the plugin, but something to know: people are told the message alone, and of a
   * contained plugin which one says it.
   */
  report(where: string, thrown: unknown, plugin?: string): void;
  /**
   * What a function that a plugin contributed answers, or `otherwise` when it fails or outlives its limit: that is reported
   * in the plugin's name, and the third failure there of a contained plugin switches that function off.
   */
  guard<T>(guarded: Guarded<T>, work: () => T): T;
  /** The calls of plugins that are waited for. */
  readonly calls: Calls;
  /**
   * Counts what a service writes or tells for this plugin (`size`: in bytes), against the limit that a contained plugin has;
   * throws PLUGIN_FLOOD beyond it.
   */
  spend(where: string, cost: Cost, size?: () => number): void;
  /**
   * `work` as something that harms nobody: what it throws is reported in `where`, and the third failure of a contained plugin
   * switches it off, with a notice. A service that calls its users' functions back makes its `perPlugin` view so.
   */
  isolate<A extends unknown[]>(where: string, work: (...given: A) => unknown): (...given: A) => Promise<void>;
}
export type PluginContext<C = unknown, N extends ServiceName = never> = BaseContext<C> & Pick<Services, N>;

/**
 * A service with this method hands each plugin a view of its own, so that what the plugin does through
 * it (a subscription, say) ends with the plugin.
 */
export const perPlugin = Symbol("perPlugin");
export interface PerPlugin<S> {
  [perPlugin](context: BaseContext): S;
}

interface PluginShape<Ctx, C, N> {
  id: string;
  name: string;
  version: string;
  /** `host`: one per process. `session` (default): one per open session. */
  scope?: "host" | "session";
  needs?: readonly N[];
  provides?: readonly ServiceName[];
  /** A zod schema that owns the table `[id]` of config.toml. */
  config?: C;
  events?: Record<string, AnyEventDefinition>;
  projections?: Record<string, ProjectionDefinition>;
  /** May return a function that undoes its work, or contributions that see its variables. */
  activate?(ctx: Ctx): Awaitable<void | Dispose | Activated>;
  deactivate?(): Awaitable<void>;
  hooks?(ctx: Ctx): HookLayers;
  onEvent?(event: any, ctx: Ctx): Awaitable<void>;
}
type HookLayers = { [H in HookName]?: Hooks[H] | Tap<Hooks[H]> };
/**
 * What `activate` may return: what a plugin can contribute, each as a value or as a function that is asked whenever it is
 * collected. It adds to what the plugin itself contributes under the same name.
 */
export type Activated = {
  [K in ContributionName]?: Contributions[K] | (() => Contributions[K]);
} & {
  hooks?: HookLayers | (() => HookLayers);
  onEvent?(event: any): Awaitable<void>;
  /** Undoes the work of `activate` when the plugin stops. */
  dispose?: Dispose;
};
type Contributing<Ctx> = { [K in ContributionName]?: (ctx: Ctx) => Contributions[K] };
type ConfigOf<C> = C extends z.ZodType ? z.output<C> : Readonly<Record<string, unknown>>;

/** A plugin as its author writes it: the seed's Extension plus optional manifest fields. */
export type Plugin<C = undefined, N extends ServiceName = never> = PluginShape<PluginContext<ConfigOf<C>, N>, C, N> &
  Contributing<PluginContext<ConfigOf<C>, N>>;

/** A plugin whose types were checked where it was defined; what lists and loaders hold. */
export interface AnyPlugin extends PluginShape<any, z.ZodType | undefined, ServiceName> {}

/**
 * Types `ctx` from `needs` and `config`, and returns the erased type that lists of plugins can hold.
 *
 * @example
 * export default definePlugin({ id: "hello", name: "Hello", version: "1.0.0", needs: ["agent"] })
 */
export function definePlugin<C extends z.ZodType | undefined = undefined, N extends ServiceName = never>(
  plugin: Plugin<C, N>,
): AnyPlugin {
  return plugin as unknown as AnyPlugin;
}
