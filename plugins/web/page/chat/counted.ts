import type { DisplayAction } from "@scorel/kernel";
import { displayText } from "@scorel/kit/text/display";

/** So many empty lines would push the text after them out of view. */
const MANY_LINES = /(?:\n[^\S\n]*){5,}(?=\n|$)/g;
const MANY_SPACES = / {41,}/g;
const LAST_LINES = 3;
const LAST_CHARACTERS = 240;

interface Counts {
  emptyLines(count: number): string;
  spaces(count: number): string;
}

/** Replaces long runs of empty lines or spaces with their number: `⋯ 399 empty lines ⋯`. */
export function counted(text: string, words: Counts): string {
  return text
    .replace(MANY_LINES, (lines) => `\n⋯ ${words.emptyLines(lines.split("\n").length - 1)} ⋯`)
    .replace(MANY_SPACES, (spaces) => ` ⋯ ${words.spaces(spaces.length)} ⋯ `);
}

/** The last lines of the first part of a question, such as a command. They matter as much as its beginning. */
export function lastLines([first]: readonly DisplayAction[], words: Counts): string {
  const text = first ? counted(displayText(first).trimEnd(), words) : "";
  const lines = text.split("\n").slice(-LAST_LINES).join("\n");
  return lines.length > LAST_CHARACTERS ? `…${lines.slice(-LAST_CHARACTERS)}` : lines;
}
