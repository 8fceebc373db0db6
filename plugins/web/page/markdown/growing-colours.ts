import type { Piece } from "./pieces.ts";

/** Characters that arrive before growing code is coloured again, and the same as a share of what is coloured. */
const LEAST = 200;
const SHARE = 0.25;
/** Longer code is coloured when it has come to rest, since that would take too long between two pictures. */
const LONGEST_GROWING = 5_000;

/** Code as far as it is coloured. */
export interface ColouredCode {
  /** The same array as long as nothing is coloured anew. */
  pieces: readonly Piece[];
  /** What has arrived since. */
  rest: string;
}

/**
 * The colours of code that arrives. All of it is coloured again only when it has grown by a share of itself, or has come to rest, so
 * that the work for a code stays a small multiple of its length. What has arrived since is plain.
 */
export class GrowingColours {
  private readonly colour: (code: string) => readonly Piece[] | undefined;
  private code = "";
  private pieces: readonly Piece[] = [];

  constructor(colour: (code: string) => readonly Piece[] | undefined) {
    this.colour = colour;
  }

  of(code: string, isAtRest: boolean): ColouredCode {
    if (!code.startsWith(this.code)) Object.assign(this, { code: "", pieces: [] });
    if (this.isWorth(code, isAtRest)) {
      this.pieces = this.colour(code) ?? [{ text: code }];
      this.code = code;
    }
    return { pieces: this.pieces, rest: code.slice(this.code.length) };
  }

  private isWorth(code: string, isAtRest: boolean): boolean {
    const arrived = code.length - this.code.length;
    if (isAtRest) return arrived > 0;
    const least = this.code === "" ? 1 : Math.max(LEAST, SHARE * this.code.length);
    return code.length <= LONGEST_GROWING && arrived >= least;
  }
}
