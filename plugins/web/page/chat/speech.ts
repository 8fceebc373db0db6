/**
 * Matches the end of a sentence or line. The point after the number of a list item does not count. Each row of points is tried only once, from
 * its beginning, so that a long one takes linear time.
 */
const END = /(?=[.!?…])(?<![.!?…]|^[ \t]*\d+)[.!?…]+["'”’)\]*_`]*(?=\s)|[。！？]|\n/gm;
/** Number of characters without a sentence end after which the text is spoken anyway. */
const LONG = 400;
/** Number of characters of a word after which it is spoken before it ends. */
const LONGEST_WORD = 2_000;
const FENCE = /^\s*(```|~~~)/;

/** Splits a growing reply into whole sentences for speech. Each is returned once, without Markdown marks and without code. */
export class Speech {
  private position = 0;
  private isCode = false;
  private isLineStart = true;

  /** The sentences that have become complete since the last call. With `isWhole`, the reply has ended, and so has its last sentence. */
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
    // Without this limit, an endless word would be searched again with each new part of the text.
    return text.length - this.position > LONGEST_WORD ? text.length : undefined;
  }

  private spoken(piece: string): string | undefined {
    const isFence = this.isLineStart && FENCE.test(piece);
    this.isLineStart = piece.endsWith("\n");
    if (isFence) this.isCode = !this.isCode;
    if (isFence || this.isCode) return undefined;
    // Cut before its marks are removed, which takes quadratic time.
    const plain = withoutMarks(piece.trim().slice(0, LONGEST_WORD));
    return /[\p{L}\p{N}]/u.test(plain) ? plain : undefined;
  }
}

function withoutMarks(piece: string): string {
  return piece
    .replace(/^(?:#{1,6}|[-*+>])\s+/, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`~]+/g, "")
    .replace(/\s*\|\s*/g, " ")
    .trim();
}
