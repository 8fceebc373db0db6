import { plainText } from "@scorel/kit/text/plain";

/** A plugin's text as a string without terminal control characters. */
export function harmless(text: unknown): string {
  return plainText(String(text));
}

/** Text on one line, with at most `most` characters. */
export function oneLine(text: unknown, most: number): string {
  const line = String(text).replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
