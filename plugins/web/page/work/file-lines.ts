import type { Piece } from "../markdown/pieces.ts";

/** Splits highlighted code into lines. A piece that spans several lines is split, too. */
export function linesOf(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const { text, kind } of pieces)
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, kind });
    }
  // The line feed at the end of a file ends its last line, and does not begin another one.
  if (lines.length > 1 && lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

/** The language of a file, by its extension. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot < 0 ? name : name.slice(dot + 1);
}
