import type { EventDefinition, KernelEntry } from "@scorel/kernel";

/** The event types of these plugins whose events may come from elsewhere; the first plugin that has a type counts. */
export function importableIn(entries: readonly KernelEntry[]): ReadonlyMap<string, EventDefinition> {
  const types = new Map<string, EventDefinition>();
  for (const { plugin } of entries)
    for (const [type, definition] of Object.entries(plugin.events ?? {}))
      if (!definition.transient && definition.importable === true && !definition.barrier && !types.has(type))
        types.set(type, definition);
  return types;
}
