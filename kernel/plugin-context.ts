import { asLayer } from "./chain.ts";
import type { PluginKernel } from "./kernel.ts";
import type { AnyPlugin, BaseContext, HookMode } from "./plugin.ts";
import type { Scope } from "./scope.ts";

/**
 * What a plugin's functions get. Everything done through it is undone when the plugin stops; the
 * services named in `needs` are properties that resolve at the moment of use.
 */
export function createContext(kernel: PluginKernel, plugin: AnyPlugin, scope: Scope, config: unknown): BaseContext {
  const id = plugin.id;
  const context: BaseContext = {
    plugin: id,
    config,
    logger: kernel.logger,
    signal: scope.control.signal,
    session: kernel.session,
    provide: (name, service) => kernel.provide(id, scope, name, service),
    find: (name) => kernel.find(name),
    defineHook: (name, mode) => {
      const chain = kernel.defineHook(id, scope, name, mode as HookMode);
      return (input, signal) => chain.call(input, signal) as never;
    },
    hook: (name, tap) => kernel.tap(scope, name, asLayer(id, tap)),
    collect: (name) => kernel.collect(name),
    subscribe: (listener, options = {}) => scope.add(kernel.listen(id, listener, options)),
    onDispose: (dispose) => void scope.add(dispose),
    report: (where, thrown) => kernel.report(id, where, thrown),
  };
  for (const service of plugin.needs ?? [])
    Object.defineProperty(context, service, { enumerable: true, get: () => kernel.find(service) });
  return context;
}
