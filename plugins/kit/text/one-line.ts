import { plainText } from "./plain.ts";

/** Replaces line breaks, so that a name cannot add lines to the output. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}

/** A text of others as one line in which line breaks can be seen, so that nothing in it looks like a line of Scorel's own. */
export function visibleBreaks(text: string): string {
  return plainText(text.trim().replace(/[ \t]*(?:\r\n|[\n\r\v\f\u2028\u2029\u0085])\s*/g, " ⏎ "));
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
  return visibleBreaks(message).replace(/\.+$/, "");
}
