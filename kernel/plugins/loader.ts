import { codeOf, messageOf } from "@scorel/kit/values/coded-error";
import { describeIssues } from "@scorel/kit/values/issue-text";
import type { Activated } from "../contribution.ts";
import { errors } from "../errors.ts";
import type { Registry } from "../events/registry.ts";
import { asLayer } from "../hooks/layer.ts";
import { type Hints, type KernelEntry, mayFail } from "../kernel.ts";
import type { AnyPlugin } from "../plugin.ts";
import type { Dispose, HookName, ServiceName } from "../types.ts";
import { contributionsOf, disposeOf, lateContribution } from "./activation.ts";
import type { Contributor } from "./contribution-table.ts";
import { missingService, startOrder } from "./order.ts";
import { type ContextKernel, createContext } from "./plugin-context.ts";
import { Scope } from "./scope.ts";

/** The parts of the kernel that the loader uses. */
export interface LoaderKernel extends ContextKernel {
  readonly registry: Registry;
  /** Links the stored log. Called once all event types are registered. */
  replay(): void;
}

/** A plugin that is running or starting. */
export interface Loaded extends Contributor {
  scope: Scope;
  /** Start time in milliseconds. */
  startMs?: number;
}

/** Starts and stops the plugins of one kernel: validates them, registers their declarations, activates them, and undoes all that. */
export class Loader {
  /** Running plugins and plugins that are starting, in start order. */
  readonly loaded = new Map<string, Loaded>();
  /** Every plugin ever given to this kernel. Stopped plugins stay here, because work that they left running may still fail. */
  readonly entries = new Map<string, KernelEntry>();
  private readonly kernel: LoaderKernel;
  private readonly hints: Hints | undefined;

  constructor(kernel: LoaderKernel, hints: Hints | undefined) {
    this.kernel = kernel;
    this.hints = hints;
  }

  /** Registers all event types and projections, replays the log, then activates the plugins in order. */
  async start(entries: readonly KernelEntry[]): Promise<void> {
    for (const entry of entries) this.take(entry);
    const { entries: ordered, leftOut } = startOrder(entries, (service) => this.isAvailable(service), this.hints);
    const ready: Loaded[] = [];
    for (const entry of ordered) {
      const loaded = await this.attempt(entry, () => this.register(entry));
      if (loaded) ready.push(loaded);
    }
    this.kernel.replay();
    for (const { entry, error } of leftOut) this.kernel.reports.report(entry.plugin.id, "start", error);
    for (const loaded of ready) await this.attempt(loaded.entry, () => this.activate(loaded));
  }

  async load(entry: KernelEntry): Promise<void> {
    const { leftOut } = startOrder([entry], (service) => this.isAvailable(service), this.hints);
    if (leftOut[0]) throw leftOut[0].error;
    const loaded = await this.register(entry);
    await this.activate(loaded);
    this.kernel.contributions.changed(entry.plugin);
  }

  async unload(id: string): Promise<void> {
    const loaded = this.loaded.get(id);
    if (!loaded) throw errors.PLUGIN_UNKNOWN({ plugin: id });
    const offered = new Set<string>(loaded.entry.plugin.provides ?? []);
    await loaded.scope.endWork();
    for (const [user, { entry }] of [...this.loaded].reverse())
      if (user !== id && this.loaded.has(user) && entry.plugin.needs?.some((need) => offered.has(need)))
        await this.unload(user);
    await this.discard(loaded);
  }

  private contribute(plugin: string, name: string, value: unknown): Dispose {
    const loaded = this.loaded.get(plugin);
    if (!loaded) throw errors.SCOPE_CLOSED({ plugin });
    return this.add(loaded, lateContribution(plugin, name, value, this.hints));
  }

  private async attempt<T>(entry: KernelEntry, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      if (!mayFail(entry)) throw thrown;
      this.kernel.reports.report(entry.plugin.id, "start", thrown);
      return undefined;
    }
  }

  private take(entry: KernelEntry): void {
    const { id } = entry.plugin;
    const before = this.entries.get(id);
    if (before === entry) return;
    before?.contained?.ended();
    this.entries.set(id, entry);
    entry.contained?.began(this.kernel.log.id, (where, thrown) => this.kernel.reports.report(id, where, thrown));
  }

  /** Validates the configuration and registers event types and projections. If it throws, everything is undone. */
  private async register(entry: KernelEntry): Promise<Loaded> {
    const { plugin, origin, contained } = entry;
    if (this.loaded.has(plugin.id)) throw errors.PLUGIN_DUPLICATE({ plugin: plugin.id, origin });
    this.take(entry);
    const scope = new Scope(plugin.id, (where, thrown) => this.kernel.reports.report(plugin.id, where, thrown));
    const context = createContext(this.kernel, {
      plugin,
      origin,
      scope,
      config: parseConfig(entry),
      contained,
      contribute: (name, value) => this.contribute(plugin.id, name, value),
    });
    const loaded: Loaded = { entry, scope, context, sources: [plugin] };
    this.loaded.set(plugin.id, loaded);
    try {
      for (const [type, definition] of Object.entries(plugin.events ?? {}))
        scope.add(this.kernel.registry.add(plugin.id, type, definition, plugin.version));
      for (const [name, definition] of Object.entries(plugin.projections ?? {}))
        scope.add(this.kernel.log.projections.add(plugin, name, definition));
    } catch (thrown) {
      await this.discard(loaded);
      throw thrown;
    }
    return loaded;
  }

  private async activate(loaded: Loaded): Promise<void> {
    const { plugin, origin } = loaded.entry;
    const began = performance.now();
    try {
      this.checkNeeds(loaded.entry);
      await this.runActivation(loaded, plugin);
      loaded.startMs = performance.now() - began;
    } catch (thrown) {
      await this.discard(loaded);
      if (codeOf(thrown).startsWith("PLUGIN_")) throw thrown;
      throw errors.PLUGIN_FAILED(
        { plugin: plugin.id, origin, where: "start", reason: messageOf(thrown) },
        { cause: thrown },
      );
    }
  }

  private async runActivation(loaded: Loaded, plugin: AnyPlugin): Promise<void> {
    const { entry, context, scope } = loaded;
    if (plugin.deactivate) scope.add(() => plugin.deactivate?.());
    const returned: unknown = await plugin.activate?.(context);
    const dispose = disposeOf(returned);
    if (dispose) scope.add(dispose);
    const contributions = contributionsOf(plugin.id, returned, this.hints);
    for (const service of plugin.provides ?? [])
      if (!this.kernel.services.has(service)) throw errors.PLUGIN_PROMISED_SERVICE({ plugin: plugin.id, service });
    this.addLayers(scope, plugin.id, hooksOf(plugin, context));
    if (plugin.onEvent)
      scope.add(
        this.kernel.log.listen(
          plugin.id,
          (event) => plugin.onEvent?.(this.kernel.log.asListened(event as never), context),
          // Contained extensions may rely on receiving each delta by itself.
          { joined: entry.contained === undefined },
          plugin.onEvent,
        ),
      );
    if (contributions) this.add(loaded, contributions);
  }

  /** Adds a plugin's layers. If some are invalid, throws an error that describes each of them. */
  private addLayers(scope: Scope, plugin: string, taps: [hook: string, tap: unknown][]): void {
    const failures: unknown[] = [];
    for (const [hook, tap] of taps)
      try {
        this.kernel.hooks.tap(scope, hook, asLayer(plugin, hook, tap));
      } catch (thrown) {
        failures.push(thrown);
      }
    if (failures.length > 1) throw errors.HOOK_SEVERAL({ plugin, reasons: failures.map((each) => messageOf(each)) });
    if (failures.length === 1) throw failures[0];
  }

  /** Adds contributions; layers and listeners through the context, which contains them. Undoes everything if a layer is refused. */
  private add({ entry, context, scope, sources }: Loaded, contributions: Activated): Dispose {
    const undo: Dispose[] = [];
    const remove = scope.add(async () => {
      await Promise.all(undo.splice(0).map((dispose) => dispose()));
    });
    try {
      sources.push(contributions);
      undo.push(() => {
        sources.splice(sources.indexOf(contributions), 1);
        this.kernel.contributions.changed(contributions);
      });
      for (const [hook, tap] of hooksOf(contributions, context))
        undo.push(context.hook(hook as HookName, tap as never));
      if (contributions.onEvent)
        undo.push(
          context.subscribe((event) => contributions.onEvent?.(this.kernel.log.asListened(event as never)), {
            joined: entry.contained === undefined,
          }),
        );
    } catch (thrown) {
      void remove();
      throw thrown;
    }
    this.kernel.contributions.changed(contributions);
    return remove;
  }

  private isAvailable(service: string): boolean {
    return this.kernel.services.find(service as ServiceName) !== undefined;
  }

  /** Throws PLUGIN_MISSING_SERVICE if a service in `needs` is missing, for example because its provider failed to start. */
  private checkNeeds(entry: KernelEntry): void {
    for (const service of entry.plugin.needs ?? [])
      if (!this.isAvailable(service)) throw missingService(entry, service, this.hints);
  }

  private async discard({ entry, scope }: Loaded): Promise<void> {
    await scope.close();
    this.loaded.delete(entry.plugin.id);
    this.kernel.contributions.changed(entry.plugin);
    this.kernel.reports.forget(entry.plugin.id);
  }
}

/** Returns the layers of a plugin by hook name. Throws if `hooks` is not an object. A promise, a list or a Map would look like an object without layers. */
function hooksOf(source: Pick<AnyPlugin, "hooks"> | Activated, context: object): [hook: string, tap: unknown][] {
  const hooks: unknown = (typeof source.hooks === "function" ? source.hooks(context) : source.hooks) ?? {};
  if (typeof hooks !== "object" || hooks === null || Symbol.iterator in hooks || hooks instanceof Promise)
    throw errors.PLUGIN_CONTRIBUTION({ name: "hooks", wanted: "a function that returns { hook: layer }" });
  return Object.entries(hooks as object).filter(([, tap]) => tap !== undefined && tap !== null && tap !== false);
}

function parseConfig({ plugin, config }: KernelEntry): unknown {
  if (!plugin.config) return Object.freeze({ ...(config as object | undefined) });
  const result = plugin.config.safeParse(config ?? {}, { jitless: true });
  if (result.success) return Object.freeze(result.data);
  throw errors.PLUGIN_CONFIG({ plugin: plugin.id, issues: describeIssues(result.error) });
}
