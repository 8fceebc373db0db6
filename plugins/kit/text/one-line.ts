import { plainText } from "./plain.ts";

/** Replaces line breaks, so that a name cannot add lines to the output. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}

/** Turns an untrusted text into one line with visible line breaks (`⏎`), so that no part of it looks like output of Scorel. */
export function visibleBreaks(text: string): string {
  return plainText(linesIn(text).join(" ⏎ "));
}

/** The non-empty lines of a text, trimmed. Takes linear time for any text. */
function linesIn(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Puts `mark` before each line of an untrusted text but the first, so that no other line begins at the left edge. */
export function continued(text: string, mark = "  "): string {
  return text.trimEnd().replace(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/g, `\n${mark}`);
}

/** Turns an untrusted name or title into one line, without control characters. Characters that would disguise the text are escaped. */
export function lineOf(text: string): string {
  return plainText(oneLine(text)).replace(/\s+/g, " ").trim();
}

/** Turns an untrusted message into a part of a sentence: one line with visible line breaks, without a full stop at its end. */
export function clause(message: string): string {
  const line = visibleBreaks(message);
  let end = line.length;
  while (line[end - 1] === ".") end--;
  return line.slice(0, end);
}
