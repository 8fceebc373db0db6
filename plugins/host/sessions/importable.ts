import type { EventDefinition, KernelEntry } from "@scorel/kernel";

/** Collects the event types that are `importable`. The first plugin that declares a type wins. */
export function importableIn(entries: readonly KernelEntry[]): ReadonlyMap<string, EventDefinition> {
  const types = new Map<string, EventDefinition>();
  for (const { plugin } of entries)
    for (const [type, definition] of Object.entries(plugin.events ?? {}))
      if (!definition.transient && definition.importable === true && !definition.barrier && !types.has(type))
        types.set(type, definition);
  return types;
}
