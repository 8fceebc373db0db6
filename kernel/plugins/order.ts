import { errors } from "../errors.ts";
import { type Hints, type KernelEntry, mayFail } from "../kernel.ts";

interface Ordered {
  entries: KernelEntry[];
  /** Entries that cannot start and that the kernel can do without, each with its coded error. */
  leftOut: { entry: KernelEntry; error: Error }[];
}

/**
 * Sorts plugins so that providers start before the plugins that need their services, and otherwise keeps the order of the
 * list. Throws the coded error of the first entry that cannot start. Entries that may fail are left out instead, as are the
 * ones that need their services, if those may fail too.
 */
export function startOrder(
  entries: readonly KernelEntry[],
  isAvailable: (service: string) => boolean,
  hints?: Hints,
): Ordered {
  return new Sorter(entries, isAvailable, hints).sort();
}

/** The error for a plugin that needs a service that no plugin provides. */
export function missingService({ plugin, origin }: KernelEntry, service: string, hints: Hints | undefined): Error {
  const advice = hints?.service(service);
  return errors.PLUGIN_MISSING_SERVICE({ plugin: plugin.id, service, origin, ...(advice !== undefined && { advice }) });
}

/** The error for a plugin whose provider of a service is left out. */
function leftOutProvider({ plugin, origin }: KernelEntry, service: string, provider: KernelEntry): Error {
  const advice = `Plugin "${provider.plugin.id}" provides it, but is left out: see its own problem.`;
  return errors.PLUGIN_MISSING_SERVICE({ plugin: plugin.id, service, origin, advice });
}

class Sorter {
  private readonly entries: readonly KernelEntry[];
  private readonly isAvailable: (service: string) => boolean;
  private readonly hints: Hints | undefined;
  private readonly providers = new Map<string, KernelEntry>();
  private readonly placed = new Set<KernelEntry>();
  private readonly failed = new Map<KernelEntry, Error>();
  private readonly visiting: KernelEntry[] = [];
  private readonly ordered: KernelEntry[] = [];

  constructor(entries: readonly KernelEntry[], isAvailable: (service: string) => boolean, hints?: Hints) {
    this.entries = entries;
    this.hints = hints;
    this.isAvailable = isAvailable;
  }

  sort(): Ordered {
    for (const entry of this.entries) this.attempt(entry, () => this.register(entry));
    for (const entry of this.entries) if (!this.failed.has(entry)) this.attempt(entry, () => this.visit(entry));
    return { entries: this.ordered, leftOut: [...this.failed].map(([entry, error]) => ({ entry, error })) };
  }

  private attempt(entry: KernelEntry, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!mayFail(entry)) throw error;
      this.visiting.length = 0;
      this.failed.set(entry, error as Error);
    }
  }

  private register(entry: KernelEntry): void {
    const missing = ["id", "name", "version"].filter((key) => typeof entry.plugin?.[key as "id"] !== "string");
    if (missing.length > 0)
      throw errors.PLUGIN_INVALID({ origin: entry.origin, reason: `it has no ${missing.join(", ")}` });
    for (const service of entry.plugin.provides ?? []) {
      const owner = this.providers.get(service);
      if (owner)
        throw errors.PLUGIN_DOUBLE_SERVICE({
          service,
          plugin: entry.plugin.id,
          owner: owner.plugin.id,
          origin: entry.origin,
        });
    }
    for (const service of entry.plugin.provides ?? []) this.providers.set(service, entry);
  }

  private visit(entry: KernelEntry): void {
    if (this.placed.has(entry)) return;
    if (this.visiting.includes(entry)) {
      const circle = [...this.visiting.slice(this.visiting.indexOf(entry)), entry]
        .map((at) => at.plugin.id)
        .join(" -> ");
      throw errors.PLUGIN_CIRCLE({ plugins: circle, origin: entry.origin });
    }
    this.visiting.push(entry);
    for (const service of entry.plugin.needs ?? []) this.visitProvider(entry, service);
    this.visiting.pop();
    this.placed.add(entry);
    this.ordered.push(entry);
  }

  private visitProvider(entry: KernelEntry, service: string): void {
    const provider = this.providers.get(service);
    if (provider && !this.failed.has(provider)) this.visit(provider);
    else if (provider && !this.isAvailable(service)) throw leftOutProvider(entry, service, provider);
    else if (!this.isAvailable(service)) throw missingService(entry, service, this.hints);
  }
}
