/** Measures how wide a text is in a terminal. */

/** Matches characters that take two columns: Hangul, CJK, kana, full-width forms and emoji. */
const wide =
  /[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{191ff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d37f}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Extended_Pictographic}|\p{Emoji_Modifier}/u;

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

/** Splits a line into parts of at most `columns` columns, after a space if possible. Tabs become spaces. */
export function partsOfWidth(line: string, columns: number): string[] {
  const parts: string[] = [];
  let [part, width] = ["", 0];
  for (const character of line.replaceAll("\t", TAB)) {
    const own = widthOf(character);
    if (part !== "" && width + own > columns) {
      const end = character === " " ? part.length : lastWordOf(part);
      parts.push(part.slice(0, end));
      part = part.slice(end);
      width = widthOf(part);
    }
    part += character;
    width += own;
  }
  return [...parts, part];
}

/** The index at which the last word of a text begins; the end of the text if it has only one word. */
function lastWordOf(text: string): number {
  const begin = text.lastIndexOf(" ") + 1;
  return text.slice(0, begin).trim() === "" ? text.length : begin;
}

const TAB = "    ";
