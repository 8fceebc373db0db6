import { plainText } from "./plain.ts";

/** Replaces line breaks, so that a name cannot add lines to the output. */
export function oneLine(text: string): string {
  return text.replace(/[\r\n\u2028\u2029\u0085]+/g, " ");
}

/** A name or title of others as one visible line: without line breaks, control characters and what changes how the rest looks. */
export function lineOf(text: string): string {
  return plainText(oneLine(text)).replace(/\s+/g, " ").trim();
}
