/** How far a remote client may lag behind before it misses transient events. */
export const BEHIND = { maxBytes: 1024 * 1024, maxAgeMs: 10_000 };
