import type { Containment } from "./containment.ts";
import type { HookTable } from "./hooks.ts";
import type { Kernel } from "./kernel.ts";
import { asLayer } from "./layer.ts";
import {
  type AnyPlugin,
  type BaseContext,
  type Calls,
  type Guarded,
  type HookMode,
  type Listener,
  type PerPlugin,
  perPlugin,
  type SubscribeOptions,
} from "./plugin.ts";
import type { Scope } from "./scope.ts";
import type { Dispose, Logger, Ui } from "./types.ts";
import { unheard } from "./unheard.ts";

/** The part of the kernel that plugin contexts call. Plugins do not get it. */
export interface ContextKernel extends Pick<Kernel, "session" | "find" | "collect"> {
  readonly logger: Logger;
  readonly hooks: HookTable;
  readonly calls: Calls;
  provide(plugin: string, scope: Scope, name: string, service: unknown): void;
  listen(plugin: string, listener: Listener, options: SubscribeOptions): Dispose;
  report(plugin: string, where: string, thrown: unknown): void;
  guard<T>(guarded: Guarded<T>, work: () => T): T;
}

interface ContextOptions {
  plugin: AnyPlugin;
  scope: Scope;
  config: unknown;
  contained: Containment | undefined;
}

/**
 * What a plugin's functions get. Everything done through it is undone when the plugin stops; the
 * services named in `needs` are properties that resolve at the moment of use.
 */
export function createContext(
  kernel: ContextKernel,
  { plugin, scope, config, contained }: ContextOptions,
): BaseContext {
  const id = plugin.id;
  const view = createView(() => given);
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
    session: kernel.session,
    calls: kernel.calls,
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
    spend: () => {},
    isolate:
      (where, work) =>
      async (...given) => {
        try {
          await work(...given);
        } catch (thrown) {
          kernel.report(id, where, thrown);
        }
      },
    get ui() {
      return context.find("ui") ?? alone();
    },
  };
  for (const service of plugin.needs ?? [])
    Object.defineProperty(context, service, { enumerable: true, get: () => context.find(service) });
  const given = contained?.context(context) ?? context;
  return given;
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
