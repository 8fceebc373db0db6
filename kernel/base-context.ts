import type { PendingCalls } from "./calls/pending-calls.ts";
import type { CheckContribution, Collected, Contributed } from "./contribution.ts";
import type { FoldCall, FoldMode, HookCall, Listener, SubscribeOptions, Tap } from "./hook.ts";
import type { Session } from "./session.ts";
import type {
  ContributionName,
  Contributions,
  Dispose,
  HookName,
  Hooks,
  Logger,
  ServiceName,
  Services,
  Ui,
} from "./types.ts";

/** How to call a contributed function with `attempt`. */
export interface Attempt<T> {
  plugin: string;
  /** A name for the function that people understand: `access of tool Deploy`. */
  where: string;
  otherwise: Awaited<T>;
  /** Time limit for a promise in milliseconds, or `false` for no limit. Default: 10,000. */
  limit?: number | false;
  /** Report failures only if the plugin is contained. Used where other plugins are expected to fail. */
  containedOnly?: boolean;
  /**
   * Failures are reported, but do not switch the function off after the third. For functions that get input from the model, which may
   * cause the failures, if `otherwise` is the strictest result.
   */
  staysOn?: boolean;
}
/** Options of `ctx.provide`. */
export interface ProvideOptions {
  /**
   * No plugin can wrap the service, because it guards something. Default: true for a service with a `perPlugin` view, which would
   * bypass the wrappers. Set it to false if `perPlugin` builds the view from `this`, which is then the wrapped service.
   */
  sealed?: boolean;
}
/** Access to the pending calls of plugins. */
export type Calls = Pick<PendingCalls, "run" | "begin" | "of" | "pauseLimit">;
/** The number of stored (`written`) and transient (`told`) events that an action of a plugin causes. */
export type Cost = { written?: number; told?: number };
/** The context that every plugin's functions receive. Services named in `needs` are additional properties. */
export interface BaseContext<C = unknown> {
  /** The plugin's id. */
  readonly plugin: string;
  /** Whether the plugin's failures are contained, as those of users' extensions are. False for plugins that come with Scorel. */
  readonly contained: boolean;
  /** The plugin's table `[id]` in the configuration, validated by the plugin's schema. */
  readonly config: C;
  /** Writes to the diagnostic log, with the plugin's id (`scorel logs`). */
  readonly logger: Logger;
  /** Aborts when the plugin or its session begins to stop. */
  readonly signal: AbortSignal;
  /** The kernel's log, for reading, `append` and `emit`. */
  readonly session: Session;
  /** Shows questions and notices to people. Available without `needs`. If nobody is watching, questions get their default answers. */
  readonly ui: Ui;
  /** Publishes a service named in `provides`. Other plugins can wrap it (`serviceWrappers`) unless it is `sealed`. */
  provide<N extends ServiceName>(name: N, service: Services[N], options?: ProvideOptions): void;
  /** Looks up a service in this kernel, then in its parent. */
  find<N extends ServiceName>(name: N): Services[N] | undefined;
  /**
   * The plugin that implements a member of a service, for messages about its failures: the outermost wrapper that changes the
   * member, or the plugin that provides the service. Undefined when it is part of Scorel itself.
   */
  providerOf<N extends ServiceName>(service: N, member: keyof Services[N] & string): string | undefined;
  /**
   * Declares a native hook and returns the function that calls it. `check` throws if a layer's result is invalid, and that
   * layer counts as failed.
   */
  defineHook<N extends HookName>(name: N, mode: "waterfall" | "bail", check?: (result: unknown) => void): HookCall<N>;
  defineHook<N extends HookName>(name: N, mode: FoldMode<Hooks[N]>, check?: (result: unknown) => void): FoldCall<N>;
  /** Adds a layer to a native hook. Returns a function that removes it. */
  hook<N extends HookName>(name: N, tap: Hooks[N] | Tap<Hooks[N]>): Dispose;
  /**
   * Adds a contribution while the plugin runs: a value, or a function that is called whenever it is collected. `hooks` and
   * `onEvent` can be added, too. Notifies the listeners of `onContributed`: new tools, for example, are offered from the next model
   * request on. Returns a function that removes the contribution.
   */
  contribute<N extends keyof Contributed & string>(name: N, value: NonNullable<Contributed[N]>): Dispose;
  /** Calls `changed` whenever contributions with this name, of this kernel or its parent, are added or removed. */
  onContributed<N extends ContributionName>(name: N, changed: () => void): Dispose;
  /**
   * Returns all plugins' contributions with this name in load order, those of the parent kernel first. Contributions for
   * which `check` throws are left out and reported as failures of their plugins. `failed` is called for each plugin whose
   * contribution is left out because it failed or is switched off. Use it for contributions that must not be missing silently, such
   * as limits.
   */
  collect<N extends ContributionName>(
    name: N,
    check?: CheckContribution,
    failed?: (plugin: string) => void,
  ): Collected<Awaited<Contributions[N]>>[];
  /** Calls `listener` with every event in seq order. Each subscription has its own queue. */
  subscribe(listener: Listener, options?: SubscribeOptions): Dispose;
  /**
   * Registers a function that ends running work when the plugin or its session begins to stop. The work of all plugins ends
   * before the first plugin is unloaded, so guards, services and the log are still available to it. It is waited for up to `limitMs`
   * milliseconds, which is 5,000 unless set and at most 60,000.
   */
  beforeStop(end: Dispose, limitMs?: number): void;
  /** Registers an undo function. They run in reverse order when the plugin stops. Returns a function that runs this one early. */
  onDispose(dispose: Dispose): Dispose;
  /**
   * Reports a failure in `where` without throwing. Pass `plugin` for the failure of another plugin's contribution. With an
   * empty `where` the report is a notice rather than a failure: people see only the message, preceded by the plugin's name if
   * the plugin is contained.
   */
  report(where: string, thrown: unknown, plugin?: string): void;
  /**
   * Calls a contributed function and returns its result, or `otherwise` if the function fails or exceeds its limit. The
   * failure is reported as one of the contributing plugin. The third failure of a contained plugin's function switches the function off.
   */
  attempt<T>(attempt: Attempt<T>, work: () => T): T;
  /** The pending calls of plugins. */
  readonly calls: Calls;
  /**
   * Charges a contained plugin for events that a service writes or emits on its behalf. `size` returns their size in bytes.
   * Throws PLUGIN_FLOOD if the plugin exceeds its limit. Does nothing for other plugins.
   */
  spend(where: string, cost: Cost, size?: () => number): void;
  /**
   * Wraps `work` so that it never throws: failures are reported in `where`, and the third failure of a contained plugin
   * switches the function off, with a notice. Use it in a service's `perPlugin` view for callbacks of its users.
   */
  isolate<A extends unknown[]>(where: string, work: (...given: A) => unknown): (...given: A) => void | Promise<void>;
}
export type PluginContext<C = unknown, N extends ServiceName = never> = BaseContext<C> & Pick<Services, N>;

/**
 * A service with this method gives each plugin its own view, so that whatever the plugin registers through it, such as a
 * subscription, is removed when the plugin stops.
 */
export const perPlugin = Symbol("perPlugin");
/** A service that has views for plugins. The method returns the view of the plugin with this context. */
export interface PerPlugin<S> {
  [perPlugin](context: BaseContext): S;
}
