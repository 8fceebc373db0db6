import { endOfPart, type OpenCode } from "@scorel/kit/markdown/parts";

/** A part of Markdown text. */
export interface TextPart {
  /** Offset in the whole text. */
  from: number;
  text: string;
  /** The code block that continues in this part, if it began in an earlier part. */
  begun?: OpenCode | undefined;
}

/** Divides text that grows at its end into parts. Complete parts stay the same objects. */
export class Divider {
  private text = "";
  private settled: TextPart[] = [];
  private end = 0;
  private begun: OpenCode | undefined;

  divide(text: string): { settled: readonly TextPart[]; rest: TextPart } {
    // Compares only the length and the end, since a reply only grows, and comparing all of it would cost more with each word.
    const isLonger =
      text.length >= this.text.length && text.startsWith(this.text.slice(-64), Math.max(0, this.text.length - 64));
    if (!isLonger) Object.assign(this, { settled: [], end: 0, begun: undefined });
    this.text = text;
    for (let part = this.next(); part; part = this.next()) {
      const { end: from, begun } = this;
      this.settled = [...this.settled, { from, text: text.slice(from, part.end), begun }];
      this.end = part.end;
      this.begun = part.code;
    }
    return { settled: this.settled, rest: { from: this.end, text: text.slice(this.end), begun: this.begun } };
  }

  private next() {
    return endOfPart(this.text, this.end, this.begun);
  }
}
