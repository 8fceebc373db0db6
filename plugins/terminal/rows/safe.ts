import { countedMarks, plainText } from "@scorel/kit/text/plain";

const TAB = "    ";

/**
 * Makes a text of a model, tool, file or other client fit to be drawn: no control sequences, deceiving characters written out, tabs
 * as spaces. Every text that is drawn comes through here.
 */
export function safeText(text: string): string {
  return countedMarks(plainText(text.replaceAll("\r\n", "\n"))).replaceAll("\t", TAB);
}

/** The same for the output of a command, of which a line that was written over shows what was written last. */
export function safeOutput(text: string): string {
  return safeText(text.includes("\r") ? text.split("\n").map(writtenLast).join("\n") : text);
}

/** A text as one line. */
export function safeLine(text: string): string {
  return oneLine(safeText(text));
}

/** The lines of a text in one. Its time grows with the text's length, which a regular expression's does not with many spaces. */
export function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** What stands behind the last carriage return that has something behind it. */
function writtenLast(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.slice(0, end).lastIndexOf("\r") + 1, end);
}
