import { plainText } from "./plain.ts";

/** Replaces line breaks, so that a name cannot add lines to the output. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}

/** A text of others as one line in which line breaks can be seen, so that nothing in it looks like a line of Scorel's own. */
export function visibleBreaks(text: string): string {
  return plainText(linesIn(text).join(" ⏎ "));
}

/** The lines of a text that are not empty, without blanks around them. Its time grows with the text's length, whatever stands in it. */
function linesIn(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** A text of others in which each line after the first begins with `mark`, so that nothing but its first line stands at the left edge. */
export function continued(text: string, mark = "  "): string {
  return text.trimEnd().replace(/\r\n|[\n\r\v\f\u2028\u2029\u0085]/g, `\n${mark}`);
}

/** A name or title of others as one visible line: without line breaks, control characters and what changes how the rest looks. */
export function lineOf(text: string): string {
  return plainText(oneLine(text)).replace(/\s+/g, " ").trim();
}

/** A message of others as part of a sentence: one line, in which line breaks can be seen, without the full stop at its end. */
export function clause(message: string): string {
  const line = visibleBreaks(message);
  let end = line.length;
  while (line[end - 1] === ".") end--;
  return line.slice(0, end);
}
