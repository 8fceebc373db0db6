import { partsOfWidth } from "./width.ts";

/** The least room for the second column beside the first one. */
const LEAST = 30;
const INDENT = 8;

/**
 * Breaks the rows of a table of two columns at words, so that they are at most so many columns wide. What is broken goes on below the beginning of the
 * second column, which begins behind two spaces.
 */
export function rowsOfWidth(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((row) => brokenRow(row, columns))
    .join("\n");
}

function brokenRow(row: string, columns: number): string[] {
  if (row.length <= columns) return [row];
  const [, left = "", right = row] = /^(\s*\S.*?\s{2,})(\S.*)$/.exec(row) ?? [];
  const room = columns - left.length;
  const below = left === "" || room >= LEAST ? left.length : INDENT;
  const parts = partsOfWidth(right, Math.max(LEAST, columns - below)).map((part, at) =>
    at === 0 ? part.trimEnd() : part.trim(),
  );
  const indent = " ".repeat(below);
  if (left !== "" && below === INDENT && room < LEAST) return [left.trimEnd(), ...parts.map((part) => indent + part)];
  return parts.map((part, at) => (at === 0 ? left : indent) + part);
}
