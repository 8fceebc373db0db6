/** How far a client elsewhere may be behind until it misses passing events. */
export const BEHIND = { maxBytes: 1024 * 1024, maxAgeMs: 10_000 };

/** The JSON of events as they are sent. All clients of a session get the same event, so it is made once. */
const texts = new WeakMap<object, string>();

/** The JSON of an event with its display. */
export function textOf(delivered: { event: object; display: unknown }): string {
  let text = texts.get(delivered.event);
  if (text === undefined) {
    text = JSON.stringify(delivered);
    texts.set(delivered.event, text);
  }
  return text;
}
