import { setMaxListeners } from "node:events";
import { newId } from "@scorel/kit/values/id";
import { within } from "@scorel/kit/values/within";
import type { Attempt } from "./base-context.ts";
import { Failures } from "./calls/failures.ts";
import { PendingCalls } from "./calls/pending-calls.ts";
import { redactingLogger } from "./calls/redacting-logger.ts";
import type { CheckContribution, Collected } from "./contribution.ts";
import { errors } from "./errors.ts";
import { KERNEL_EVENTS } from "./events/kernel-events.ts";
import { Registry } from "./events/registry.ts";
import type { Listener, SubscribeOptions } from "./hook.ts";
import type { Failure, Hints, Kernel, KernelEntry, KernelOptions } from "./kernel.ts";
import { Log } from "./log/log.ts";
import { ContributionTable } from "./plugins/contribution-table.ts";
import { HookTable } from "./plugins/hook-table.ts";
import { Loader, type LoaderKernel } from "./plugins/loader.ts";
import { ServiceTable } from "./plugins/service-table.ts";
import type { Session } from "./session.ts";
import type { Problem } from "./store.ts";
import type { ContributionName, Contributions, Dispose, InFlight, Logger, ServiceName, Services } from "./types.ts";

/** Opens the log, starts the plugins in order and returns the running kernel. If a plugin fails, undoes everything and rejects. */
export async function createKernel(options: KernelOptions): Promise<Kernel> {
  const kernel = new PluginKernel(options);
  try {
    await kernel.start(options.entries);
  } catch (thrown) {
    // The caller needs the reason why the kernel cannot start, not what follows from it.
    await kernel.stop().catch((failure) => kernel.reports.report("kernel", "stop", failure));
    throw thrown;
  }
  return kernel;
}

/** Time in milliseconds that listeners have to process the last events when the kernel stops. */
const DRAIN_LIMIT_MS = 5_000;
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

class PluginKernel implements Kernel, LoaderKernel {
  readonly registry: Registry;
  readonly log: Log;
  readonly logger: Logger;
  readonly reports: Failures;
  readonly hooks: HookTable;
  readonly contributions: ContributionTable;
  readonly calls = new PendingCalls((plugin) => this.loader.entries.get(plugin)?.contained);
  private readonly hints: Hints | undefined;
  private readonly parent: PluginKernel | undefined;
  readonly services: ServiceTable;
  private readonly loader: Loader;
  private readonly children = new Set<PluginKernel>();
  private readonly ending = new AbortController();
  private stopped: Promise<void> | undefined;
  private replayed = false;

  constructor(options: KernelOptions) {
    this.parent = options.parent as PluginKernel | undefined;
    // Every turn and every model request adds a listener, so Node's leak warning does not apply.
    setMaxListeners(0, this.ending.signal);
    const redact = (text: string) => options.redact?.(text, this) ?? text;
    this.logger =
      options.redact && options.logger ? redactingLogger(options.logger, redact) : (options.logger ?? SILENT);
    this.hints = options.hints ?? this.parent?.hints?.child ?? this.parent?.hints;
    this.loader = new Loader(this, this.hints);
    this.reports = new Failures({
      logger: this.logger,
      redact,
      entry: (plugin) => this.loader.entries.get(plugin),
      announce: (failure) => this.announce(failure),
    });
    this.registry = new Registry(this.parent?.registry);
    if (!this.parent)
      for (const [type, definition] of Object.entries(KERNEL_EVENTS)) this.registry.add("kernel", type, definition);
    this.log = new Log({
      store: options.store,
      registry: this.registry,
      failures: this.reports,
      ...(this.parent && { parent: this.parent.log }),
      clientId: options.clientId ?? "host",
      stopping: this.ending.signal,
      now: options.now ?? Date.now,
      newId: options.newId ?? newId,
      find: (name) => this.services.find(name),
    });
    this.hooks = new HookTable(this.log, this.reports, this.calls, this.hints);
    this.contributions = new ContributionTable({
      plugins: () => this.loader.loaded.values(),
      reports: this.reports,
      parent: this.parent?.contributions,
      onChange: (source) => void ("serviceWrappers" in source && this.services.changed()),
    });
    this.services = new ServiceTable({
      parent: this.parent?.services,
      contributions: this.contributions,
      reports: this.reports,
      session: this.log,
    });
    for (const [name, service] of Object.entries(options.services ?? {}))
      this.services.add(name, service, { sealed: true });
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
    return [...this.loader.loaded].flatMap(([plugin, { startMs: ms }]) => (ms === undefined ? [] : [{ plugin, ms }]));
  }
  get problems(): readonly Problem[] {
    return this.log.problems;
  }
  get readOnly(): string | undefined {
    return this.log.readOnly;
  }

  async start(entries: readonly KernelEntry[]): Promise<void> {
    await this.loader.start(entries);
    this.services.started();
  }

  load(entry: KernelEntry): Promise<void> {
    return this.loader.load(entry);
  }

  unload(id: string): Promise<void> {
    return this.loader.unload(id);
  }

  replay(): void {
    this.log.replay();
    this.replayed = true;
  }

  find<N extends ServiceName>(name: N): Services[N] | undefined {
    return this.services.find(name);
  }

  collect<N extends ContributionName>(
    name: N,
    check?: CheckContribution,
    failed?: (plugin: string) => void,
  ): Collected<Awaited<Contributions[N]>>[] {
    return this.contributions.collect(name, { check, failed });
  }

  onContributed(name: ContributionName, changed: () => void): Dispose {
    return this.contributions.listen("host", name, changed);
  }

  attempt<T>(attempt: Attempt<T>, work: () => T): T {
    if (this.parent && !this.loader.entries.has(attempt.plugin)) return this.parent.attempt(attempt, work);
    return this.reports.attempt(attempt, work);
  }

  get announced(): number {
    return this.log.announced;
  }

  inFlight(type: string): InFlight | undefined {
    return this.registry.get(type)?.inFlight;
  }

  subscribe(listener: Listener, options: SubscribeOptions = {}): Dispose {
    return this.log.listen("host", listener, options);
  }

  drained(): Promise<void> {
    return this.log.drained();
  }

  census(): Record<string, number> {
    const counts: Record<string, number> = { subscribers: this.log.broadcast.size };
    for (const [id, { scope }] of this.loader.loaded) counts[`plugin ${id}`] = scope.size;
    for (const name of this.services.names) counts[`service ${name}`] = 1;
    for (const [name, layers] of this.hooks.sizes()) counts[`hook ${name}`] = layers;
    for (const [name, listeners] of this.contributions.sizes()) counts[`listeners for ${name}`] = listeners;
    for (const type of this.registry.types) counts[`event ${type}`] = 1;
    for (const name of this.log.projections.names) counts[`projection ${name}`] = 1;
    return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    return this.stopped;
  }

  private async shutDown(): Promise<void> {
    this.refuseWork();
    await Promise.all([...this.loader.loaded.values()].map(({ scope }) => scope.endWork()));
    await this.drainedOrLate();
    this.log.captureState();
    for (const id of [...this.loader.loaded.keys()].reverse()) if (this.loader.loaded.has(id)) await this.unload(id);
    await this.drainedOrLate();
    for (const { contained } of this.loader.entries.values()) contained?.ended();
    this.parent?.children.delete(this);
    this.contributions.close();
    await this.log.close();
  }

  /** Aborts `stopping` in this kernel and its children, so that no further tool runs and no model is called. */
  private refuseWork(): void {
    this.ending.abort(errors.KERNEL_STOPPING());
    for (const child of this.children) child.refuseWork();
  }

  /** Waits for the listeners up to a limit. Listeners that hang are reported and do not keep the kernel from stopping. */
  private async drainedOrLate(): Promise<void> {
    const limit = DRAIN_LIMIT_MS;
    const late = () => errors.LISTENER_LATE({ plugins: this.log.broadcast.lagging.join(", "), limit });
    try {
      await within(limit, this.log.drained(), late);
    } catch (thrown) {
      for (const plugin of new Set(this.log.broadcast.lagging)) this.reports.report(plugin, "onEvent", thrown);
    }
  }

  private announce(failure: Failure): void {
    if (this.replayed && !this.log.isClosed) this.log.emit("plugin_failure", failure);
  }
}
