import { plainText } from "@scorel/kit/text/plain";

const ESC = "\u001b";
const BEL = "\u0007";
/** An incomplete control sequence at the end of the text. The rest may follow with the next part. */
const BEGUN = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|\\][^${BEL}${ESC}]*${ESC}?)?$`);
/** The longest control sequence whose start is held back. */
const MAX_SEQUENCE = 256;

/** One text of a streamed message: what has arrived, and how much of it was sent to the editor. */
class Stream {
  /** The pieces in which the text has arrived. They are joined only at the end, since each joining copies the whole text. */
  private pieces: string[] = [];
  /** The end of what has arrived, which may be an incomplete control sequence, and the place at which it begins. */
  private held = "";
  private heldAt = 0;
  private sent = 0;
  /** Set when a part was missed: what follows cannot be appended. */
  private isBroken = false;

  /** The text starts over. What was already sent of it stays. */
  restart(): void {
    this.pieces = [];
    this.held = "";
    this.heldAt = 0;
    this.isBroken = false;
  }

  miss(): void {
    this.isBroken = true;
  }

  /** Appends text, and returns what to send now. */
  add(delta: string): string {
    if (this.isBroken) return "";
    this.pieces.push(delta);
    const text = this.held + delta;
    const at = this.heldAt;
    const end = wholeEnd(text);
    this.held = text.slice(end);
    this.heldAt = at + end;
    return this.send(text.slice(0, end), at);
  }

  /** Sets the complete text, and returns the rest to send. */
  end(whole: string): string {
    const arrived = this.pieces.join("");
    // A plugin may have changed the text before it was stored. The editor then keeps what it has.
    const isSame = whole.startsWith(arrived) || arrived.startsWith(whole);
    if (!isSame && !this.isBroken && this.sent > 0) return "";
    return this.send(whole, 0);
  }

  /** The part of a text that was not sent yet. `at` is the place at which it begins. */
  private send(text: string, at: number): string {
    const rest = text.slice(Math.max(0, this.sent - at));
    this.sent = Math.max(this.sent, at + text.length);
    return plainText(rest);
  }
}

/** The first of the two UTF-16 code units of a character. */
const FIRST_HALF = /[\ud800-\udbff]$/;

/** Length of the text without an incomplete control sequence or half of a character at its end. */
function wholeEnd(text: string): number {
  const from = Math.max(0, text.length - MAX_SEQUENCE);
  const tail = text.slice(from);
  const begun = BEGUN.exec(tail) ?? FIRST_HALF.exec(tail);
  return begun ? from + begun.index : text.length;
}

/** The text of streamed messages, by the ids of their events. */
export class Replies {
  private readonly streams = new Map<string, { text: Stream; thinking: Stream }>();

  start(id: string): void {
    const { text, thinking } = this.of(id);
    text.restart();
    thinking.restart();
  }

  add(id: string, kind: "text" | "thinking", delta: string): string {
    return this.of(id)[kind].add(delta);
  }

  /** The message is complete. Returns the rest of each text. */
  end(id: string, whole: { text: string; thinking: string }): { text: string; thinking: string } {
    const { text, thinking } = this.of(id);
    this.streams.delete(id);
    return { text: text.end(whole.text), thinking: thinking.end(whole.thinking) };
  }

  drop(id: string): void {
    this.streams.delete(id);
  }

  /** Some events were missed. */
  miss(): void {
    for (const { text, thinking } of this.streams.values()) {
      text.miss();
      thinking.miss();
    }
  }

  private of(id: string) {
    const known = this.streams.get(id) ?? { text: new Stream(), thinking: new Stream() };
    this.streams.set(id, known);
    return known;
  }
}
