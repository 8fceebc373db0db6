import type { BaseContext } from "../base-context.ts";
import type { Failures } from "../calls/failures.ts";
import type { CheckContribution, Collected } from "../contribution.ts";
import { errors } from "../errors.ts";
import type { KernelEntry } from "../kernel.ts";
import type { ContributionName, Contributions } from "../types.ts";
import { contributed } from "./activation.ts";

/** A plugin with its contributions. */
export interface Contributor {
  entry: KernelEntry;
  context: BaseContext;
  /** The objects that hold the contributions: the plugin, what its `activate` returned, and what it added later. */
  sources: object[];
}
interface TableOptions {
  /** The running plugins in load order. */
  plugins(): Iterable<Contributor>;
  reports: Failures;
  parent: ContributionTable | undefined;
  /** Called before the listeners, with the object whose contributions were added or removed. */
  onChange(source: object): void;
}
interface CollectOptions {
  check?: CheckContribution | undefined;
  failed?: ((plugin: string) => void) | undefined;
  ofParent?: boolean;
}
type Valid<N extends ContributionName> = Awaited<Contributions[N]> | undefined;
/** Stands for the value of a contribution that failed. */
const FAILED = Symbol("failed");

interface Listener {
  plugin: string;
  changed(): void;
}

/** The contributions of all plugins of a kernel and of its parent, by name. Collectors can listen for changes of a name. */
export class ContributionTable {
  private readonly options: TableOptions;
  private readonly children = new Set<ContributionTable>();
  private readonly listeners = new Map<string, Set<Listener>>();

  constructor(options: TableOptions) {
    this.options = options;
    options.parent?.children.add(this);
  }

  /** The number of listeners for each name. */
  *sizes(): Iterable<[name: string, listeners: number]> {
    for (const [name, { size }] of this.listeners) if (size > 0) yield [name, size];
  }

  /**
   * Returns the valid contributions with this name in load order, those of the parent first; reports the others. `failed` is called
   * for each plugin whose contribution failed or is switched off.
   */
  collect<N extends ContributionName>(
    name: N,
    { check, failed, ofParent = true }: CollectOptions = {},
  ): Collected<Awaited<Contributions[N]>>[] {
    const { plugins, reports, parent } = this.options;
    const collected = (ofParent && parent?.collect(name, { check, failed })) || [];
    for (const { entry, context, sources } of plugins()) {
      const plugin = entry.plugin.id;
      const flaw = (thrown: unknown) => reports.reportOnce(plugin, name, thrown);
      for (const source of sources) {
        if (!contributes(source, name)) continue;
        const value = reports.attempt<Valid<N> | typeof FAILED>({ plugin, where: name, otherwise: FAILED }, () => {
          const given = contributed(name, source, { context, isManifest: source === entry.plugin });
          if (given === undefined || given === null) return undefined;
          for (const thrown of entry.contained?.flaws(name, given) ?? []) flaw(thrown);
          return (check?.(given, plugin, flaw, entry.plugin.replaces ?? []) ?? given) as Valid<N>;
        });
        if (value === FAILED) failed?.(plugin);
        else if (value !== undefined && value !== null)
          collected.push({ plugin, value, ...(entry.contained && { contained: true }) });
      }
    }
    return collected;
  }

  /** Calls `changed` whenever contributions with a name, of this kernel or its parent, are added or removed. */
  listen(plugin: string, name: string, changed: () => void): () => void {
    if (typeof changed !== "function") throw errors.PLUGIN_CONTRIBUTION({ name, wanted: "given with a function" });
    const listener = { plugin, changed };
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Notifies the listeners, including those of child kernels, that the contributions in `source` were added or removed. */
  changed(source: object): void {
    this.options.onChange(source);
    for (const [name, listeners] of this.listeners) {
      if (!contributes(source, name)) continue;
      for (const { plugin, changed } of [...listeners])
        this.options.reports.attempt({ plugin, where: `onContributed ${name}`, otherwise: undefined }, changed);
    }
    for (const child of this.children) child.changed(source);
  }

  /** Detaches the table from its parent, which then stops notifying it of changes. */
  close(): void {
    this.options.parent?.children.delete(this);
  }
}

function contributes(source: object, name: string): boolean {
  return (source as Record<string, unknown>)[name] !== undefined;
}
