import { partsOfWidth, widthOf } from "./width.ts";

/** Minimum width of the second column. If less is left beside the first column, the second one starts on the next line. */
const LEAST = 30;
const INDENT = 8;

/**
 * Wraps the rows of a two-column table at words to a width of `columns`. Continuation lines are aligned with the second column, which two
 * or more spaces separate from the first one.
 */
export function rowsOfWidth(text: string, columns: number): string {
  return text
    .split("\n")
    .flatMap((row) => brokenRow(row, columns))
    .join("\n");
}

function brokenRow(row: string, columns: number): string[] {
  if (widthOf(row) <= columns) return [row];
  // The end of the gap. This pattern takes linear time, also for a row with very many blanks.
  const gap = /\S\s{2,}(?=\S)/.exec(row);
  const begin = gap ? gap.index + gap[0].length : 0;
  const [left, right] = [row.slice(0, begin), row.slice(begin)];
  const width = widthOf(left);
  const room = columns - width;
  const below = left === "" || room >= LEAST ? width : INDENT;
  const parts = partsOfWidth(right, Math.max(LEAST, columns - below)).map((part, at) =>
    at === 0 ? part.trimEnd() : part.trim(),
  );
  const indent = " ".repeat(below);
  if (left !== "" && below === INDENT && room < LEAST) return [left.trimEnd(), ...parts.map((part) => indent + part)];
  return parts.map((part, at) => (at === 0 ? left : indent) + part);
}
