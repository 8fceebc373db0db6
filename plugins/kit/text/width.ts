/** How wide a text is in a terminal. */

/** Matches characters that take two columns: Hangul, CJK, kana, full-width forms and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** The width of a line, in columns. */
export function widthOf(line: string): number {
  let width = 0;
  for (const character of line) width += wide.test(character) ? 2 : 1;
  return width;
}

/** Cuts a line to a number of columns; the last one is `…` if something was cut. */
export function cutToWidth(line: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of line) {
    width += wide.test(character) ? 2 : 1;
    if (width > columns) return `${line.slice(0, end)}…`;
    if (width < columns) end += character.length;
  }
  return line;
}
