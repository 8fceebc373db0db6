/** The cached JSON of an event: `record` is that of the event alone, `sent` includes its display. */
interface Texts {
  record?: string | undefined;
  sent?: string | undefined;
}

/** All clients of a session receive the same event, so its JSON is created once. Adding an entry costs as much as creating the JSON. */
const known = new WeakMap<object, Texts>();

/** Remembers the JSON that an event was read from, so that it need not be created again to send the event. */
export function rememberRecord(event: object, record: string): void {
  known.set(event, { record });
}

/** The JSON of an event with its display. */
export function textOf({ event, display }: { event: object; display: object }): string {
  let texts = known.get(event);
  if (texts?.sent !== undefined) return texts.sent;
  const sent = `{"event":${texts?.record ?? JSON.stringify(event)},"display":${JSON.stringify(display)}}`;
  if (!texts) {
    texts = {};
    known.set(event, texts);
  }
  // `sent` contains it, so it need not be kept twice.
  texts.record = undefined;
  texts.sent = sent;
  return sent;
}
