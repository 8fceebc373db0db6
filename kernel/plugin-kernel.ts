import { setMaxListeners } from "node:events";
import { codeOf, errors, messageOf } from "./errors.ts";
import { Failures } from "./failures.ts";
import { HookTable } from "./hooks.ts";
import { newId } from "./ids.ts";
import type { Failure, Hints, Kernel, KernelEntry, KernelOptions } from "./kernel.ts";
import { KERNEL_EVENTS } from "./kernel-events.ts";
import { asLayer } from "./layer.ts";
import { Log } from "./log.ts";
import { missingService, startOrder } from "./order.ts";
import type { AnyPlugin, Calls, CheckContribution, Collected, Guarded, Listener, SubscribeOptions } from "./plugin.ts";
import { type ContextKernel, createContext } from "./plugin-context.ts";
import { Registry } from "./registry.ts";
import { Scope } from "./scope.ts";
import type { Session } from "./session.ts";
import type { Problem } from "./store.ts";
import type { ContributionName, Contributions, Dispose, Logger, ServiceName, Services } from "./types.ts";
import { describeIssues } from "./validate.ts";
import { within } from "./within.ts";

/** Opens the log, starts the plugins in order and answers the running kernel; undoes everything when one fails. */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const kernel = new PluginKernel(options);
  try {
    await kernel.start(options.entries);
  } catch (thrown) {
    await kernel.stop();
    throw thrown;
  }
  return kernel;
}

/** Milliseconds that listeners have to hear the last events when the kernel stops. */
const DRAIN_LIMIT_MS = 5_000;
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

interface Loaded {
  entry: KernelEntry;
  context: object;
  scope: Scope;
  /** Milliseconds that it took to start. */
  startMs?: number;
}

class PluginKernel implements Kernel, ContextKernel {
  readonly registry: Registry;
  readonly log: Log;
  readonly logger: Logger;
  private readonly reports: Failures;
  readonly hooks: HookTable;
  readonly calls: Calls;
  private readonly hints: Hints | undefined;
  private readonly parent: PluginKernel | undefined;
  private readonly services = new Map<string, { plugin: string; service: unknown }>();
  private readonly loaded = new Map<string, Loaded>();
  /** Also of those that did not start, or stopped: what they left running may still fail. */
  private readonly entries = new Map<string, KernelEntry>();
  private readonly children = new Set<PluginKernel>();
  private readonly ending = new AbortController();
  private stopped: Promise<void> | undefined;
  private replayed = false;

  constructor(options: KernelOptions) {
    this.parent = options.parent as PluginKernel | undefined;
    // Every turn and every request to a model listens.
    setMaxListeners(0, this.ending.signal);
    this.logger = options.logger ?? SILENT;
    this.reports = new Failures({
      logger: this.logger,
      entry: (plugin) => this.entries.get(plugin),
      announce: (failure) => this.announce(failure),
    });
    this.registry = new Registry(this.parent?.registry);
    if (!this.parent)
      for (const [type, definition] of Object.entries(KERNEL_EVENTS)) this.registry.add("kernel", type, definition);
    for (const [name, service] of Object.entries(options.services ?? {}))
      this.services.set(name, { plugin: "given", service });
    this.log = new Log({
      store: options.store,
      registry: this.registry,
      ...(this.parent && { parentProjections: this.parent.log.projections }),
      clientId: options.clientId ?? "host",
      stopping: this.ending.signal,
      now: options.now ?? Date.now,
      newId: options.newId ?? newId,
      find: (name) => this.find(name),
      report: (plugin, where, thrown) => this.report(plugin, where, thrown),
      guard: (guarded, work) => this.guard(guarded, work),
    });
    this.hints = options.hints ?? this.parent?.hints;
    this.hooks = new HookTable(this.log, this.reports, this.hints);
    const { pending } = this.hooks;
    this.calls = {
      run: (plugin, where, work) => {
        const contained = this.entries.get(plugin)?.contained;
        return contained ? contained.run(where, work) : work();
      },
      begin: (plugin, signal) => pending.begin(plugin, signal),
      of: (plugin) => pending.of(plugin),
      pauseLimit: (signal) => pending.pauseLimit(signal),
    };
    this.parent?.children.add(this);
    if (this.parent?.ending.signal.aborted) this.refuseWork();
  }

  get session(): Session {
    return this.log;
  }
  get failures(): readonly Failure[] {
    return this.reports.list;
  }
  get started(): readonly { plugin: string; ms: number }[] {
    return [...this.loaded].flatMap(([plugin, { startMs: ms }]) => (ms === undefined ? [] : [{ plugin, ms }]));
  }
  get problems(): readonly Problem[] {
    return this.log.problems;
  }
  get readOnly(): string | undefined {
    return this.log.readOnly;
  }

  /** Event types and projections first, so that the log can be replayed; then each plugin in order. */
  async start(entries: readonly KernelEntry[]): Promise<void> {
    for (const entry of entries) this.take(entry);
    const { entries: ordered, left } = startOrder(
      entries,
      (service) => this.find(service as ServiceName) !== undefined,
      this.hints,
    );
    const ready: Loaded[] = [];
    for (const entry of ordered) {
      const loaded = await this.guarded(entry, () => this.register(entry));
      if (loaded) ready.push(loaded);
    }
    this.log.replay();
    this.replayed = true;
    for (const { entry, error } of left) this.report(entry.plugin.id, "start", error);
    for (const loaded of ready) await this.guarded(loaded.entry, () => this.activate(loaded));
  }

  find<N extends ServiceName>(name: N): Services[N] | undefined {
    const own = this.services.get(name);
    return own ? (own.service as Services[N]) : this.parent?.find(name);
  }

  collect<N extends ContributionName>(
    name: N,
    check: CheckContribution = () => {},
  ): Collected<Awaited<Contributions[N]>>[] {
    const collected = this.parent?.collect(name, check) ?? [];
    for (const { entry, context } of this.loaded.values()) {
      const { plugin } = entry;
      const contribute = (plugin as unknown as Record<string, unknown>)[name];
      if (contribute === undefined) continue;
      const value = this.guard({ plugin: plugin.id, where: name, otherwise: undefined }, () => {
        if (typeof contribute !== "function") throw errors.PLUGIN_CONTRIBUTION({ name, wanted: "a function" });
        const answer: unknown = contribute.call(plugin, context);
        if (typeof (answer as { then?: unknown } | null | undefined)?.then === "function")
          throw errors.PLUGIN_ASYNC_CONTRIBUTION({ name });
        if (answer === undefined || answer === null) return undefined;
        const flaw = (thrown: unknown) => this.reports.reportOnce(plugin.id, name, thrown);
        return (check(answer, plugin.id, flaw) ?? answer) as Awaited<Contributions[N]>;
      });
      if (value !== undefined && value !== null) collected.push({ plugin: plugin.id, value });
    }
    return collected;
  }

  guard<T>(guarded: Guarded<T>, work: () => T): T {
    return this.reports.guard(guarded, work);
  }

  subscribe(listener: Listener, options: SubscribeOptions = {}): Dispose {
    return this.listen("host", listener, options);
  }

  drained(): Promise<void> {
    return this.log.drained();
  }

  census(): Record<string, number> {
    const counts: Record<string, number> = { subscribers: this.log.broadcast.size };
    for (const [id, { scope }] of this.loaded) counts[`plugin ${id}`] = scope.size;
    for (const name of this.services.keys()) counts[`service ${name}`] = 1;
    for (const [name, layers] of this.hooks.sizes()) counts[`hook ${name}`] = layers;
    for (const type of this.registry.types) counts[`event ${type}`] = 1;
    for (const name of this.log.projections.names) counts[`projection ${name}`] = 1;
    return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async load(entry: KernelEntry): Promise<void> {
    startOrder([entry], (service) => this.find(service as ServiceName) !== undefined, this.hints);
    const loaded = await this.register(entry);
    await this.activate(loaded);
  }

  async unload(id: string): Promise<void> {
    const loaded = this.loaded.get(id);
    if (!loaded) throw errors.PLUGIN_UNKNOWN({ plugin: id });
    const offered = new Set<string>(loaded.entry.plugin.provides ?? []);
    await loaded.scope.settle();
    for (const [user, { entry }] of [...this.loaded].reverse())
      if (user !== id && this.loaded.has(user) && entry.plugin.needs?.some((need) => offered.has(need)))
        await this.unload(user);
    await this.discard(loaded);
  }

  stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    return this.stopped;
  }

  private async shutDown(): Promise<void> {
    this.refuseWork();
    await Promise.all([...this.loaded.values()].map(({ scope }) => scope.settle()));
    await this.drainedOrLate();
    this.log.settle();
    for (const id of [...this.loaded.keys()].reverse()) if (this.loaded.has(id)) await this.unload(id);
    await this.drainedOrLate();
    for (const { contained } of this.entries.values()) contained?.ended();
    this.parent?.children.delete(this);
    await this.log.close();
  }

  /** At once, for this kernel and all below it: no tool is run and no model is asked any more. */
  private refuseWork(): void {
    this.ending.abort(errors.KERNEL_STOPPING());
    for (const child of this.children) child.refuseWork();
  }

  /** No listener can keep the kernel from stopping: one that hangs is named and left behind. */
  private async drainedOrLate(): Promise<void> {
    const limit = DRAIN_LIMIT_MS;
    const late = () => errors.LISTENER_LATE({ plugins: this.log.broadcast.lagging.join(", "), limit });
    try {
      await within(limit, this.log.drained(), late);
    } catch (thrown) {
      for (const plugin of new Set(this.log.broadcast.lagging)) this.report(plugin, "onEvent", thrown);
    }
  }

  provide(plugin: string, scope: Scope, name: string, service: unknown): void {
    const promised = this.loaded.get(plugin)?.entry.plugin.provides as readonly string[] | undefined;
    if (!promised?.includes(name)) throw errors.PLUGIN_UNDECLARED_SERVICE({ plugin, service: name });
    this.services.set(name, { plugin, service });
    scope.add(() => void this.services.delete(name));
  }

  /** `of` is the function that a failure is counted for. */
  listen(plugin: string, listener: Listener, options: SubscribeOptions, of: object = listener): Dispose {
    return this.log.broadcast.subscribe({
      ...options,
      name: plugin,
      listener,
      reread: (from, to) => this.log.tree.between(from, to),
      onError: (thrown, { type }) =>
        this.reports.report(plugin, `onEvent ${type}`, thrown, { quietly: type === "plugin_failure", of }),
    });
  }

  /** Names a failure that harms nobody else, in the log file of the host and as an event. */
  report(plugin: string, where: string, thrown: unknown): void {
    this.reports.report(plugin, where, thrown);
  }

  private announce(failure: Failure): void {
    if (this.replayed && !this.log.isClosed) this.log.emit("plugin_failure", failure);
  }

  private async guarded<T>(entry: KernelEntry, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      if (!entry.contained || entry.required) throw thrown;
      this.report(entry.plugin.id, "start", thrown);
      return undefined;
    }
  }

  private take(entry: KernelEntry): void {
    const { id } = entry.plugin;
    const before = this.entries.get(id);
    if (before === entry) return;
    before?.contained?.ended();
    this.entries.set(id, entry);
    entry.contained?.began(this.session.id, (where, thrown) => this.report(id, where, thrown));
  }

  /** Checks the manifest and the configuration; adds event types and projections. Undone when it throws. */
  private async register(entry: KernelEntry): Promise<Loaded> {
    const { plugin, origin, contained } = entry;
    if (this.loaded.has(plugin.id)) throw errors.PLUGIN_DUPLICATE({ plugin: plugin.id, origin });
    this.take(entry);
    const scope = new Scope(plugin.id, (where, thrown) => this.report(plugin.id, where, thrown));
    const context = createContext(this, { plugin, scope, config: parseConfig(entry), contained });
    const loaded: Loaded = { entry, scope, context };
    this.loaded.set(plugin.id, loaded);
    try {
      for (const [type, definition] of Object.entries(plugin.events ?? {}))
        scope.add(this.registry.add(plugin.id, type, definition, plugin.version));
      for (const [name, definition] of Object.entries(plugin.projections ?? {}))
        scope.add(this.log.projections.add(plugin, name, definition));
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
      this.missingNeed(loaded.entry);
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

  private async runActivation({ entry, context, scope }: Loaded, plugin: AnyPlugin): Promise<void> {
    if (plugin.deactivate) scope.add(() => plugin.deactivate?.());
    const cleanup: unknown = await plugin.activate?.(context);
    if (typeof cleanup === "function") scope.add(cleanup as Dispose);
    for (const service of plugin.provides ?? [])
      if (!this.services.has(service)) throw errors.PLUGIN_PROMISED_SERVICE({ plugin: plugin.id, service });
    for (const [hook, tap] of Object.entries(hooksOf(plugin, context)))
      if (tap !== undefined && tap !== null && tap !== false)
        this.hooks.tap(scope, hook, asLayer(plugin.id, hook, tap));
    if (plugin.onEvent)
      scope.add(
        this.listen(
          plugin.id,
          (event) => plugin.onEvent?.(this.log.asListened(event as never), context),
          // A user's extension may count on each delta of the model.
          { joined: entry.contained === undefined },
          plugin.onEvent,
        ),
      );
  }

  /** A provider that failed to start takes its users with it. */
  private missingNeed(entry: KernelEntry): void {
    for (const service of entry.plugin.needs ?? [])
      if (this.find(service) === undefined) throw missingService(entry, service, this.hints);
  }

  private async discard({ entry, scope }: Loaded): Promise<void> {
    await scope.close();
    this.loaded.delete(entry.plugin.id);
    this.reports.forget(entry.plugin.id);
  }
}

/** Its layers by the hook's name; a promise or a text would look like none. */
function hooksOf(plugin: AnyPlugin, context: object): object {
  const hooks: unknown = plugin.hooks?.(context) ?? {};
  if (typeof hooks === "object" && !Array.isArray(hooks) && !(hooks instanceof Promise)) return hooks as object;
  throw errors.PLUGIN_CONTRIBUTION({ name: "hooks", wanted: "a function that answers { hook: layer }" });
}

function parseConfig({ plugin, config }: KernelEntry): unknown {
  if (!plugin.config) return Object.freeze({ ...(config as object | undefined) });
  const result = plugin.config.safeParse(config ?? {}, { jitless: true });
  if (result.success) return Object.freeze(result.data);
  throw errors.PLUGIN_CONFIG({ plugin: plugin.id, issues: describeIssues(result.error) });
}
