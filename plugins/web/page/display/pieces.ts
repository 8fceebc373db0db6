/** Breaking a long word into lines takes browsers quadratic time, unless the word is split into several elements. */
const PIECE = 100;

/** Splits a text into pieces. None ends in the middle of a character. */
export function piecesOf(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE}}`, "gu")) ?? [];
}
