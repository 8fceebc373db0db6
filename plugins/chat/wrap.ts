import { widthOf } from "@scorel/kit/text/width";

/** Wraps lines at words to the terminal's width, and indents continuation lines to the second column of a table. */
export function wrapped(text: string, columns: number | undefined): string {
  // `columns` is 0 for a terminal without a size.
  if (!columns) return text;
  return text
    .split("\n")
    .map((line) => wrappedLine(line, columns))
    .join("\n");
}

function wrappedLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const head = /^\s*\S.*?\s{2,}(?=\S)/.exec(line)?.[0] ?? /^\s*/.exec(line)?.[0] ?? "";
  // A narrow second column would be worse than the terminal's own line breaks.
  if (widthOf(head) > columns / 2) return line;
  const indent = " ".repeat(widthOf(head));
  const lines: string[] = [];
  let row = head;
  for (const word of line.slice(head.length).split(" ")) {
    const longer = row === head || row === indent ? `${row}${word}` : `${row} ${word}`;
    if (widthOf(longer) > columns && row.trim() !== "" && row !== head) {
      lines.push(row);
      row = `${indent}${word}`;
    } else row = longer;
  }
  return [...lines, row].join("\n");
}
