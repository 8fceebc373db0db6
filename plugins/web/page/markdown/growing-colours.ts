import type { Piece } from "./pieces.ts";

/** Growing code is highlighted again after this many new characters, or this share of the highlighted length, whichever is more. */
const LEAST = 200;
const SHARE = 0.25;
/** Longer code is highlighted only when it has stopped growing: otherwise it would take too long between two frames. */
const LONGEST_GROWING = 5_000;

/** Code, as far as it is highlighted. */
export interface ColouredCode {
  /** Stays the same array until something is highlighted again. */
  pieces: readonly Piece[];
  /** The text after the highlighted part. */
  rest: string;
}

/**
 * Highlights code that is still arriving. All of it is highlighted again only when it has grown by a share of its length, or has stopped
 * growing. So the total work stays a small multiple of the length. Text that arrives in between is plain.
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
