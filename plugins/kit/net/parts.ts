/**
 * Long messages in parts, for ends of a connection that only hear of whole messages, such as pages in a browser: each part shows that the
 * other end lives. A message is JSON, so it never begins like a part.
 */

/** The query in an address with which a client asks for parts. */
export const ASKS_FOR_PARTS = "?parts";

/**
 * The most characters of a part. Longer messages are sent in parts. A page that becomes visible again gives its host two seconds for a sign
 * of life, in which a part has to arrive over a slow line.
 */
export const LONGEST_PART = 8 * 1024;
/** The most characters of a message in parts. */
const LONGEST_MESSAGE = 64 * 1024 * 1024;
/** The first character of all parts but the last, and that of the last. */
const [GOES_ON, ENDS] = ["+", "="];

/** The texts to send for a message: its parts, or the message itself if it is short. */
export function partsOf(message: string): string[] {
  if (message.length <= LONGEST_PART) return [message];
  const parts: string[] = [];
  for (let at = 0; at < message.length; ) {
    const end = endOfPart(message, at);
    parts.push((end < message.length ? GOES_ON : ENDS) + message.slice(at, end));
    at = end;
  }
  return parts;
}

/** A character of two code units is not divided, since neither half of it can be sent. */
function endOfPart(message: string, from: number): number {
  const end = from + LONGEST_PART;
  const isHalf = (message.codePointAt(end - 1) ?? 0) > 0xffff;
  return isHalf ? end + 1 : end;
}

/** Returned by `PartJoiner.take` when the parts of a message are together longer than `LONGEST_MESSAGE`. */
export const TOO_LONG = Symbol("too long");

/** Puts messages in parts together again. */
export class PartJoiner {
  private parts: string[] = [];
  private length = 0;

  /** Takes what was received. Returns a whole message, or undefined while parts of it are missing. */
  take(text: string): string | undefined | typeof TOO_LONG {
    if (text[0] !== GOES_ON && text[0] !== ENDS) return text;
    this.length += text.length - 1;
    if (this.length > LONGEST_MESSAGE) return TOO_LONG;
    this.parts.push(text.slice(1));
    if (text[0] === GOES_ON) return undefined;
    const message = this.parts.join("");
    this.parts = [];
    this.length = 0;
    return message;
  }
}
