import { Allowance } from "./allowance.ts";
import { asLayer } from "./chain.ts";
import { errors } from "./errors.ts";
import type { Failures } from "./failures.ts";
import type { HookTable } from "./hooks.ts";
import type { Kernel } from "./kernel.ts";
import { ownSession } from "./own-session.ts";
import {
  type AnyPlugin,
  type BaseContext,
  type Guarded,
  type HookMode,
  type Listener,
  type PerPlugin,
  perPlugin,
  type SubscribeOptions,
} from "./plugin.ts";
import type { Scope } from "./scope.ts";
import type { Dispose, Logger, ServiceName } from "./types.ts";
import type { Ui } from "./ui.ts";
import { unheard } from "./unheard.ts";

/** What plugin contexts work through; not for plugins. */
export interface ContextKernel extends Pick<Kernel, "session" | "find" | "collect"> {
  readonly logger: Logger;
  readonly isolation: Failures;
  readonly hooks: HookTable;
  provide(plugin: string, scope: Scope, name: string, service: unknown): void;
  listen(plugin: string, listener: Listener, options: SubscribeOptions): Dispose;
  report(plugin: string, where: string, thrown: unknown): void;
  guard<T>(guarded: Guarded<T>, work: () => T): T;
}

/**
 * What a plugin's functions get. Everything done through it is undone when the plugin stops; the
 * services named in `needs` are properties that resolve at the moment of use.
 */
export function createContext(kernel: ContextKernel, plugin: AnyPlugin, scope: Scope, config: unknown): BaseContext {
  const id = plugin.id;
  const view = createView(() => context);
  const allowance = kernel.isolation.isExpendable(id) ? new Allowance(id, kernel.isolation) : undefined;
  let unheardUi: Ui | undefined;
  const alone = () => {
    unheardUi ??= unheard(kernel.logger, id);
    return unheardUi;
  };
  const context: BaseContext = {
    plugin: id,
    config,
    logger: kernel.logger,
    signal: scope.control.signal,
    session: allowance ? ownSession(kernel.session, allowance, scope) : kernel.session,
    provide: (name, service) => kernel.provide(id, scope, name, service),
    find: (name) => view(kernel.find(name)),
    defineHook: (name: string, mode: HookMode, check?: (answer: unknown) => void) => {
      const chain = kernel.hooks.define(id, scope, { name, mode, ...(check && { check }) });
      return (input, signal) => chain.call(input, signal) as never;
    },
    hook: (name, tap) => kernel.hooks.tap(scope, name, asLayer(id, name, tap)),
    collect: (name, check) => kernel.collect(name, check),
    subscribe: (listener, options = {}) => scope.add(kernel.listen(id, listener, options)),
    beforeStop: (end) => scope.addEnding(end),
    onDispose: (dispose) => scope.add(dispose),
    report: (where, thrown, plugin = id) => kernel.report(plugin, where, thrown),
    guard: (guarded, work) => kernel.guard(guarded, work),
    spend: (where, cost, size) => allowance?.spend(where, cost, size),
    isolate: (where, work) => kernel.isolation.isolate(id, where, work),
    get ui() {
      return context.find("ui") ?? alone();
    },
  };
  for (const service of plugin.needs ?? [])
    Object.defineProperty(context, service, { enumerable: true, get: () => context.find(service) });
  return allowance ? namingNeeds(context, kernel) : context;
}

/** The context of a user's own plugin: reading a service that it did not name in `needs` says so, instead of `undefined`. */
function namingNeeds(context: BaseContext, kernel: ContextKernel): BaseContext {
  return new Proxy(context, {
    get(target, key) {
      if (typeof key === "string" && !(key in target) && kernel.find(key as ServiceName) !== undefined)
        throw errors.PLUGIN_UNNAMED_NEED({ plugin: target.plugin, service: key });
      return Reflect.get(target, key);
    },
  });
}

/** Answers a service as one plugin sees it, the same view at every look. */
function createView(context: () => BaseContext): <S>(service: S) => S {
  const views = new WeakMap<object, unknown>();
  return (service) => {
    if (typeof service !== "object" || service === null || !(perPlugin in service)) return service;
    if (!views.has(service)) views.set(service, (service as PerPlugin<unknown>)[perPlugin](context()));
    return views.get(service) as typeof service;
  };
}
