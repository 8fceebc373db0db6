/** Browsers take time that grows with the square of the length to break a long word into lines, unless it is in several elements. */
const PIECE = 100;

/** A text in pieces, of which none ends within a character. */
export function piecesOf(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
}
