import { plainText } from "@scorel/kit/text/plain";
import { partsOfWidth, widthOf } from "@scorel/kit/text/width";

/**
 * The indentation of texts of others. Only Scorel's own lines begin at the left edge, so that no text of a plugin, a tool or another person
 * can be mistaken for one of them, such as a question.
 */
const INDENT = "  ";

/** The fewest columns of text, however narrow the terminal is: a wide character needs two. */
const LEAST = 2;

/** Indents each row of text, including the rows into which the terminal would break long lines. */
export function indented(text: string, columns: number | undefined): string {
  return marked(text, INDENT, columns);
}

/** Text of Scorel's own: its first row begins at the left edge, and all others are indented. */
export function hanging(text: string, columns: number | undefined): string {
  return marked(text, INDENT, columns, "");
}

/** Puts `mark` before each row of text, but `first` before the first one. */
export function marked(text: string, mark: string, columns: number | undefined, first = mark): string {
  const room = columns ? Math.max(LEAST, columns - Math.max(widthOf(mark), widthOf(first))) : undefined;
  return plainText(text)
    .split("\n")
    .flatMap((line) => (room === undefined ? [line] : partsOfWidth(line, room)))
    .map((row, at) => `${at === 0 ? first : mark}${row}`)
    .join("\n");
}
