import { visibleBreaks } from "@scorel/kit/text/one-line";
import { countedMarks, plainText } from "@scorel/kit/text/plain";

/** A text of a model, tool, file or other client without control characters, and with deceiving ones written out. */
export function safeText(text: string): string {
  return countedMarks(plainText(text.replaceAll("\r\n", "\n")));
}

/** The same as one line. Its time grows with the text's length, which a regular expression's does not with many spaces. */
export function safeLine(text: string): string {
  return safeText(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** The same, with line breaks that can be seen: two commands in a title do not look like one. */
export function titleLine(text: string): string {
  return countedMarks(visibleBreaks(text));
}
