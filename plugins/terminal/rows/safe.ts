import { countedMarks, plainText } from "@scorel/kit/text/plain";

const TAB = "    ";

/**
 * Makes text of a model, tool, file or other client safe to draw: removes control sequences, writes out deceptive characters, and turns
 * tabs into spaces. All text passes through here before it is drawn.
 */
export function safeText(text: string): string {
  return countedMarks(plainText(text.replaceAll("\r\n", "\n"))).replaceAll("\t", TAB);
}

/** Makes the output of a command safe to draw. Of a line that was overwritten with carriage returns, only the last version is kept. */
export function safeOutput(text: string): string {
  return safeText(text.includes("\r") ? text.split("\n").map(writtenLast).join("\n") : text);
}

/** Makes text safe to draw, and puts it on one line. */
export function safeLine(text: string): string {
  return oneLine(safeText(text));
}

/** Joins the lines of a string. Takes linear time, unlike a regular expression on many spaces. */
export function oneLine(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
}

/** The text after the last carriage return that has text after it. */
function writtenLast(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end--;
  return line.slice(line.slice(0, end).lastIndexOf("\r") + 1, end);
}
