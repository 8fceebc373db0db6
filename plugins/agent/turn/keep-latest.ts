/** Number of outcomes and of hashes kept in memory for repeated sends. Older ones are read from the log. */
const MOST = 256;

/** Sets an entry, and removes the oldest ones beyond the limit. */
export function keepLatest<V>(kept: Map<string, V>, key: string, value: V): void {
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST) return;
    kept.delete(oldest);
  }
}
