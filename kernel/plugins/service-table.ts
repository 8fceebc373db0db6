import { type ProvideOptions, perPlugin } from "../base-context.ts";
import type { Failures } from "../calls/failures.ts";
import { errors } from "../errors.ts";
import type { Session } from "../session.ts";
import type { Dispose, ServiceName, Services, ServiceWrappers } from "../types.ts";
import type { ContributionTable } from "./contribution-table.ts";

type Wrap = (service: unknown, session: { readonly id: string }) => unknown;
interface Wrapper {
  plugin: string;
  wrap: Wrap;
}
interface Provided {
  service: unknown;
  sealed: boolean;
  /** The plugin that provides the service. Absent for a service that Scorel itself gives to the session. */
  plugin?: string | undefined;
}
interface Options {
  parent: ServiceTable | undefined;
  contributions: ContributionTable;
  reports: Failures;
  session: Session;
}

/** The services of one kernel, with the wrappers that plugins put around them. */
export class ServiceTable {
  private readonly options: Options;
  private readonly provided = new Map<string, Provided>();
  /** For each wrapped service: the original (`inner`) and the wrapped one (`outer`). */
  private readonly wrapped = new Map<string, { inner: unknown; outer: unknown }>();
  /** Cached wrappers: `own` from plugins of this kernel, `all` from those of its parent as well. Cleared when they change. */
  private readonly wrappers = new Map<"own" | "all", ReadonlyMap<string, readonly Wrapper[]>>();
  /** For each object that a wrapper created: the wrapper's plugin. */
  private readonly wrappedBy = new WeakMap<object, string>();
  private isStarted = false;

  constructor(options: Options) {
    this.options = options;
  }

  get names(): Iterable<string> {
    return this.provided.keys();
  }

  has(name: string): boolean {
    return this.provided.has(name);
  }

  /**
   * Adds a service and returns a function that removes it. A sealed service cannot be wrapped. `provider` is absent for Scorel's own
   * services. Throws PLUGIN_DOUBLE_SERVICE if the service is already provided.
   */
  add(
    name: string,
    service: unknown,
    { sealed = hasViews(service) }: ProvideOptions,
    provider?: { plugin: string; origin: string },
  ): Dispose {
    const before = this.provided.get(name);
    if (provider && before)
      throw errors.PLUGIN_DOUBLE_SERVICE({ service: name, owner: before.plugin ?? "host", ...provider });
    this.provided.set(name, { service, sealed, plugin: provider?.plugin });
    return () => {
      this.provided.delete(name);
      this.wrapped.delete(name);
    };
  }

  /** Returns the service of this kernel, or of its parent, with all wrappers applied. */
  find<N extends ServiceName>(name: N): Services[N] | undefined {
    const own = this.provided.get(name);
    const inner = own ? own.service : this.options.parent?.find(name);
    return (this.isStarted && inner !== undefined ? this.wrappedService(name, inner) : inner) as
      | Services[N]
      | undefined;
  }

  /** The plugin that implements a member of a service: the outermost wrapper that changes it, or the provider. */
  providerOf(name: string, member: string): string | undefined {
    for (let at: unknown = this.find(name as ServiceName); isObject(at); at = Object.getPrototypeOf(at)) {
      const plugin = this.wrappedBy.get(at);
      if (plugin !== undefined && Object.hasOwn(at, member)) return plugin;
    }
    const own = this.provided.get(name);
    return own ? own.plugin : this.options.parent?.providerOf(name, member);
  }

  /** Called when all plugins have started. From then on, `find` returns wrapped services. */
  started(): void {
    this.isStarted = true;
    this.changed();
  }

  /** Discards the cached wrappers, because plugins have added or removed some. */
  changed(): void {
    this.wrappers.clear();
    this.wrapped.clear();
  }

  private wrappedService(name: string, inner: unknown): unknown {
    const wrappers = this.wrappersFor(name);
    if (wrappers.length === 0) return inner;
    const known = this.wrapped.get(name);
    if (known && known.inner === inner) return known.outer;
    const outer = this.isSealed(name) ? this.refuse(name, wrappers, inner) : this.wrap(name, wrappers, inner);
    this.wrapped.set(name, { inner, outer });
    return outer;
  }

  private isSealed(name: string): boolean {
    const own = this.provided.get(name);
    return own ? own.sealed : (this.options.parent?.isSealed(name) ?? true);
  }

  /** The wrappers to apply to a service. A service of the parent is already wrapped there, so only this kernel's wrappers apply to it. */
  private wrappersFor(name: string): readonly Wrapper[] {
    const which = this.has(name) ? "all" : "own";
    let wrappers = this.wrappers.get(which);
    if (!wrappers) {
      // Collecting calls plugins, which may look up services: until it ends, they get them without wrappers.
      this.wrappers.set(which, new Map());
      wrappers = byService(this.options.contributions.collect("serviceWrappers", { check, ofParent: which === "all" }));
      this.wrappers.set(which, wrappers);
    }
    return wrappers.get(name) ?? [];
  }

  private refuse(name: string, wrappers: readonly Wrapper[], inner: unknown): unknown {
    for (const { plugin } of wrappers)
      this.options.reports.report(plugin, "serviceWrappers", errors.PLUGIN_SEALED({ plugin, service: name }));
    return inner;
  }

  /** The first plugin's wrapper is the outermost. */
  private wrap(name: string, wrappers: readonly Wrapper[], inner: unknown): unknown {
    const { reports, session } = this.options;
    return wrappers.reduceRight((service, { plugin, wrap }) => {
      const where = `serviceWrappers ${name}`;
      return reports.attempt({ plugin, where, otherwise: service }, () => {
        const outer = withMembers(service, wrap(service, session), name);
        if (isObject(outer)) this.wrappedBy.set(outer, plugin);
        return outer;
      });
    }, inner);
  }
}

function hasViews(service: unknown): boolean {
  return isObject(service) && perPlugin in service;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function byService(collected: readonly { plugin: string; value: ServiceWrappers }[]): Map<string, Wrapper[]> {
  const all = new Map<string, Wrapper[]>();
  for (const { plugin, value } of collected)
    for (const [name, wrap] of Object.entries(value))
      all.set(name, [...(all.get(name) ?? []), { plugin, wrap: wrap as Wrap }]);
  return all;
}

function check(value: unknown): void {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isTable || !Object.values(value).every((wrap) => typeof wrap === "function"))
    throw errors.PLUGIN_CONTRIBUTION({ name: "serviceWrappers", wanted: "an object with a function for each service" });
}

/** Returns the service with the members that a wrapper replaced. Throws PLUGIN_CONTRIBUTION if the wrapper returned anything else. */
function withMembers(inner: unknown, members: unknown, name: string): unknown {
  const wanted = (what: string) =>
    errors.PLUGIN_CONTRIBUTION({ name: `serviceWrappers.${name}`, wanted: `a function that returns ${what}` });
  if (typeof inner === "function") {
    if (typeof members !== "function") throw wanted("a function");
    return members;
  }
  if (typeof members !== "object" || members === null || "then" in members) throw wanted("the members it changes");
  for (const [member, value] of Object.entries(members))
    if (
      value !== undefined &&
      typeof (inner as Record<string, unknown>)[member] === "function" &&
      typeof value !== "function"
    )
      throw wanted(`an object whose ${member} is a function`);
  return Object.create(inner as object, Object.getOwnPropertyDescriptors(members));
}
