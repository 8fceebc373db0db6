import { plainText } from "@scorel/kit/text/plain";

/** What a plugin says, harmless to a terminal. */
export function harmless(text: unknown): string {
  return plainText(String(text));
}

/** A text as one line of at most so many characters. */
export function oneLine(text: unknown, most: number): string {
  const line = String(text).replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
