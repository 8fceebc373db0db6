/** How far a client elsewhere may be behind until it misses passing events. */
export const BEHIND = { maxBytes: 1024 * 1024, maxAgeMs: 10_000 };
