/** Where a sentence or line ends. The point behind the number of a list's item ends nothing. */
const END = /(?<!^[ \t]*\d+)[.!?…]+["'”’)\]*_`]*(?=\s)|[。！？]|\n/gm;
/** Characters after which words without an end are told all the same. */
const LONG = 400;
/** Characters of a word that is told before it ends. */
const LONGEST_WORD = 2_000;
const FENCE = /^\s*(```|~~~)/;

/** Tells a growing reply as whole sentences, each of them once, without the marks of Markdown and without its code. */
export class Speech {
  private position = 0;
  private isCode = false;
  private isLineStart = true;

  /** The sentences that are complete now and were not told before. `isWhole`: the reply has ended, and with it the last one. */
  take(text: string, isWhole = false): string[] {
    const told: string[] = [];
    for (let end = this.next(text, isWhole); end !== undefined; end = this.next(text, isWhole)) {
      const piece = text.slice(this.position, end);
      this.position = end;
      const spoken = this.spoken(piece);
      if (spoken !== undefined) told.push(spoken);
    }
    return told;
  }

  private next(text: string, isWhole: boolean): number | undefined {
    END.lastIndex = this.position;
    const found = END.exec(text);
    if (found) return found.index + found[0].length;
    if (isWhole) return text.length > this.position ? text.length : undefined;
    if (text.length - this.position < LONG) return undefined;
    const space = text.lastIndexOf(" ");
    if (space > this.position) return space;
    // No such word is worth hearing in one piece, and it would be looked through again with all that comes.
    return text.length - this.position > LONGEST_WORD ? text.length : undefined;
  }

  private spoken(piece: string): string | undefined {
    const isFence = this.isLineStart && FENCE.test(piece);
    this.isLineStart = piece.endsWith("\n");
    if (isFence) this.isCode = !this.isCode;
    if (isFence || this.isCode) return undefined;
    const plain = withoutMarks(piece);
    return /[\p{L}\p{N}]/u.test(plain) ? plain.slice(0, LONGEST_WORD) : undefined;
  }
}

function withoutMarks(piece: string): string {
  return piece
    .trim()
    .replace(/^(?:#{1,6}|[-*+>])\s+/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`~]+/g, "")
    .replace(/\s*\|\s*/g, " ")
    .trim();
}
