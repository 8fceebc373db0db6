/** A table, with the text of each cell. */
export interface TableBlock {
  type: "table";
  header: string[];
  align: Align[];
  rows: string[][];
}
export type Align = "left" | "right" | "center" | undefined;

const DELIMITER = /^:?-+:?$/;

/** Whether a line can separate a table's header from its rows, as in `| --- | :-: |`. */
export function isDelimiterRow(line: string): boolean {
  return line.includes("|") && rowCells(line).every((cell) => DELIMITER.test(cell));
}

/** Parses the alignment of each column from the line below the header. */
export function delimiters(line: string): Align[] {
  return rowCells(line).map((cell) => {
    const isRight = cell.endsWith(":");
    if (cell.startsWith(":")) return isRight ? "center" : "left";
    return isRight ? "right" : undefined;
  });
}

/** Splits a row into cells. A `|` after a backslash is part of its cell. */
export function rowCells(line: string): string[] {
  const row = line.trim();
  const cells: string[] = [];
  let cell = "";
  for (let at = row.startsWith("|") ? 1 : 0; at < row.length; at++) {
    if (row[at] === "\\" && row[at + 1] === "|") cell += row[++at];
    else if (row[at] !== "|") cell += row[at];
    else {
      cells.push(cell.trim());
      cell = "";
    }
  }
  return cell.trim() === "" && row.endsWith("|") ? cells : [...cells, cell.trim()];
}
