import type { DisplayAction } from "@scorel/kernel";
import { displayText } from "@scorel/kit/text/display";

/** More empty lines than these would push what follows out of sight. */
const MANY_LINES = /(?:\n[^\S\n]*){5,}(?=\n|$)/g;
const MANY_SPACES = / {41,}/g;
const LAST_LINES = 3;
const LAST_CHARACTERS = 240;

interface Counts {
  emptyLines(count: number): string;
  spaces(count: number): string;
}

/** A text with many empty lines or spaces counted in their place, as `⋯ 399 empty lines ⋯`. */
export function counted(text: string, words: Counts): string {
  return text
    .replace(MANY_LINES, (lines) => `\n⋯ ${words.emptyLines(lines.split("\n").length - 1)} ⋯`)
    .replace(MANY_SPACES, (spaces) => ` ⋯ ${words.spaces(spaces.length)} ⋯ `);
}

/** The last lines of what a question is about first, such as a command: they decide as much as its beginning. */
export function lastLines([first]: readonly DisplayAction[], words: Counts): string {
  const text = first ? counted(displayText(first).trimEnd(), words) : "";
  const lines = text.split("\n").slice(-LAST_LINES).join("\n");
  return lines.length > LAST_CHARACTERS ? `…${lines.slice(-LAST_CHARACTERS)}` : lines;
}
