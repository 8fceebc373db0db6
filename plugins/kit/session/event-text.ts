/** What is known of an event's JSON: that of its record, and that of the event as it is sent, with its display. */
interface Texts {
  record?: string | undefined;
  sent?: string | undefined;
}

/** All clients of a session get the same event, so its JSON is made once. Setting an entry costs as much as making the JSON. */
const known = new WeakMap<object, Texts>();

/** Remembers the JSON that an event was read from, so that it need not be made again to send the event. */
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
  // It is part of the other text.
  texts.record = undefined;
  texts.sent = sent;
  return sent;
}
