import { plainText } from "@scorel/kit/text/plain";

const ESC = "\u001b";
const BEL = "\u0007";
/** The beginning of a control sequence at the end of a text: the rest may be in the next piece. */
const BEGUN = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|\\][^${BEL}${ESC}]*${ESC}?)?$`);
/** The longest sequence of which a beginning is kept back. */
const MAX_SEQUENCE = 256;

/** One text of an arriving message: what has arrived of it, and what the editor has got. */
class Stream {
  private arrived = "";
  private sent = 0;
  /** A part was missed, so that what follows does not fit. */
  private isBroken = false;

  /** The text is announced anew. What was sent of it stays. */
  restart(): void {
    this.arrived = "";
    this.isBroken = false;
  }

  miss(): void {
    this.isBroken = true;
  }

  /** Takes more text, and returns what is to be sent. */
  add(delta: string): string {
    if (this.isBroken) return "";
    this.arrived += delta;
    return this.upTo(wholeEnd(this.arrived));
  }

  /** Takes the whole text, and returns the rest that is to be sent. */
  end(whole: string): string {
    // What was stored may differ from what had arrived, if a plugin has changed it: the editor then keeps what it has.
    const isSame = whole.startsWith(this.arrived) || this.arrived.startsWith(whole);
    if (!isSame && !this.isBroken && this.sent > 0) return "";
    this.arrived = whole;
    return this.upTo(whole.length);
  }

  private upTo(end: number): string {
    const text = end > this.sent ? plainText(this.arrived.slice(this.sent, end)) : "";
    this.sent = Math.max(this.sent, end);
    return text;
  }
}

/** The first half of a character that is written as two. */
const FIRST_HALF = /[\ud800-\udbff]$/;

/** The end of a text without the beginning of a control sequence, and without half of a character. */
function wholeEnd(text: string): number {
  const from = Math.max(0, text.length - MAX_SEQUENCE);
  const tail = text.slice(from);
  const begun = BEGUN.exec(tail) ?? FIRST_HALF.exec(tail);
  return begun ? from + begun.index : text.length;
}

/** The texts of the messages that arrive, by the ids of their events. */
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

  /** The message is complete, with these texts. Returns the rest of each. */
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
