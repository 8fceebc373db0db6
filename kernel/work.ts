/** What of a plugin is waited for in a session, such as a hook's layer, by the signal that it was given. */
const waitedFor = new WeakMap<object, Map<string, Set<AbortSignal>>>();

/** Something of a plugin is waited for from now on; the answer ends it. */
export function beginWork(session: object, plugin: string, signal: AbortSignal): () => void {
  const plugins = waitedFor.get(session) ?? new Map<string, Set<AbortSignal>>();
  const signals = plugins.get(plugin) ?? new Set();
  if (signals.size === 0) {
    waitedFor.set(session, plugins);
    plugins.set(plugin, signals);
  }
  signals.add(signal);
  // An empty set stays: the next layer that takes time is not far, and there are as many as plugins.
  return () => void signals.delete(signal);
}

/** The signals of all that is waited for of a plugin now: what it asks a person belongs to these. */
export function workOf(session: object, plugin: string): AbortSignal[] {
  return [...(waitedFor.get(session)?.get(plugin) ?? [])];
}
