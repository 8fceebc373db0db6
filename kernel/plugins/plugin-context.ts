import { caught } from "@scorel/kit/values/caught";
import { type BaseContext, type Calls, type PerPlugin, perPlugin } from "../base-context.ts";
import type { Failures } from "../calls/failures.ts";
import type { Containment } from "../containment.ts";
import { errors } from "../errors.ts";
import type { HookMode } from "../hook.ts";
import { asLayer } from "../hooks/layer.ts";
import type { Log } from "../log/log.ts";
import type { AnyPlugin } from "../plugin.ts";
import type { Dispose, Logger, Ui } from "../types.ts";
import type { ContributionTable } from "./contribution-table.ts";
import type { HookDefinition, HookTable } from "./hook-table.ts";
import type { Scope } from "./scope.ts";
import type { ServiceTable } from "./service-table.ts";

/** The part of the kernel that plugin contexts use. Plugins have no access to it. */
export interface ContextKernel {
  readonly log: Log;
  readonly logger: Logger;
  readonly reports: Failures;
  readonly services: ServiceTable;
  readonly hooks: HookTable;
  readonly contributions: ContributionTable;
  readonly calls: Calls;
}

interface ContextOptions {
  plugin: AnyPlugin;
  /** Where the plugin comes from, for messages. */
  origin: string;
  scope: Scope;
  config: unknown;
  contained: Containment | undefined;
  /** Adds a contribution while the plugin runs. */
  contribute(name: string, value: unknown): Dispose;
}

/**
 * Creates the `ctx` that a plugin's functions receive. Everything that is registered through it is undone when the plugin
 * stops. Each service named in `needs` is a property that looks the service up when it is read.
 */
export function createContext(
  kernel: ContextKernel,
  { plugin, origin, scope, config, contained, contribute }: ContextOptions,
): BaseContext {
  const id = plugin.id;
  const view = createView(() => pluginContext);
  const fallbackUi = createFallbackUi(kernel.logger, id);
  const report: BaseContext["report"] = (where, thrown, by = id) => kernel.reports.report(by, where, thrown);
  const context: BaseContext = {
    plugin: id,
    contained: contained !== undefined,
    config,
    logger: kernel.logger,
    signal: scope.control.signal,
    session: kernel.log,
    calls: kernel.calls,
    provide: (name, service, options = {}) => {
      if (!plugin.provides?.includes(name)) throw errors.PLUGIN_UNDECLARED_SERVICE({ plugin: id, service: name });
      scope.add(kernel.services.add(name, service, options, { plugin: id, origin }));
    },
    find: (name) => view(kernel.services.find(name)),
    providerOf: (service, member) => kernel.services.providerOf(service, member),
    defineHook: (name: string, mode: HookMode, check?: (result: unknown) => void) =>
      defineHook(kernel, id, scope, { name, mode, ...(check && { check }) }),
    hook: (name, tap) => kernel.hooks.tap(scope, name, asLayer(id, name, tap)),
    contribute: (name, value) => contribute(name, value),
    collect: (name, check, failed) => kernel.contributions.collect(name, { check, failed }),
    onContributed: (name, changed) => scope.add(kernel.contributions.listen(id, name, changed)),
    subscribe: (listener, options = {}) => scope.add(kernel.log.listen(id, listener, options)),
    beforeStop: (end, limitMs) => scope.addEnding(end, limitMs),
    onDispose: (dispose) => scope.add(dispose),
    report,
    attempt: (attempt, work) => kernel.reports.attempt(attempt, work),
    spend: () => {},
    isolate: (where, work) => isolated(work, (thrown) => report(where, thrown)),
    get ui() {
      return context.find("ui") ?? fallbackUi;
    },
  };
  addNeeds(context, plugin);
  const pluginContext = contained?.context(context) ?? context;
  return pluginContext;
}

/** Returns a function that does the same as `work`, but passes its errors to `failed`. */
function isolated<A extends unknown[]>(work: (...given: A) => unknown, failed: (thrown: unknown) => void) {
  return (...given: A) => caught(() => work(...given), failed);
}

/** Adds a property for each service in `needs`. */
function addNeeds(context: BaseContext, { needs = [] }: AnyPlugin): void {
  for (const service of needs)
    Object.defineProperty(context, service, { enumerable: true, get: () => context.find(service) });
}

/** Implements `defineHook`: returns the function that calls the hook, which also says how many layers there are. */
function defineHook({ hooks }: ContextKernel, id: string, scope: Scope, hook: HookDefinition) {
  const chain = hooks.define(id, scope, hook);
  const call = (input: unknown, signal?: AbortSignal) => chain.call(input, signal);
  return Object.defineProperty(call, "layers", { get: () => chain.size }) as never;
}

/** Returns a function that maps a service to one plugin's view of it, always the same object for the same service. */
function createView(context: () => BaseContext): <S>(service: S) => S {
  const views = new WeakMap<object, unknown>();
  return (service) => {
    if (typeof service !== "object" || service === null || !(perPlugin in service)) return service;
    if (!views.has(service)) views.set(service, (service as PerPlugin<unknown>)[perPlugin](context()));
    return views.get(service) as typeof service;
  };
}

interface Asking {
  default?: unknown;
}

/** `ctx.ui` when no plugin provides one: questions get their default answers, and notices go to the log file. */
function createFallbackUi(logger: Logger, plugin: string): Ui {
  const levels = { info: "info", warning: "warn", error: "error" } as const;
  const ui = {
    attended: false,
    select: async (_title: string, _choices: unknown, asking?: Asking) => asking?.default,
    confirm: async (_title: string, asking?: Asking) => asking?.default ?? false,
    input: async (_title: string, asking?: Asking) => asking?.default,
    notify: (text: string, level: keyof typeof levels = "info") => logger[levels[level]](`Plugin "${plugin}": ${text}`),
    status: () => {},
    panel: () => {},
  };
  return ui as Ui;
}
