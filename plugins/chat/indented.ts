import { plainText } from "@scorel/kit/text/plain";
import { partsOfWidth, widthOf } from "@scorel/kit/text/width";

/**
 * The texts of others, indented. Only lines of Scorel's own begin at the left edge, so nothing that a plugin, a tool or another person
 * writes can be taken for one, such as a question.
 */
const INDENT = "  ";

/** Columns that a text has at least, however narrow the terminal is: a wide character needs two. */
const LEAST = 2;

/** Indents each row of a text: its lines, and the rows into which the terminal would break those that are too long. */
export function indented(text: string, columns: number | undefined): string {
  return marked(text, INDENT, columns);
}

/** A text of which the first row begins at the left edge, since Scorel says it, and all others are indented. */
export function hung(text: string, columns: number | undefined): string {
  return marked(text, INDENT, columns, "");
}

/** Puts a mark before each row of a text; `first` before the first one. */
export function marked(text: string, mark: string, columns: number | undefined, first = mark): string {
  const room = columns ? Math.max(LEAST, columns - Math.max(widthOf(mark), widthOf(first))) : undefined;
  return plainText(text)
    .split("\n")
    .flatMap((line) => (room === undefined ? [line] : partsOfWidth(line, room)))
    .map((row, at) => `${at === 0 ? first : mark}${row}`)
    .join("\n");
}
