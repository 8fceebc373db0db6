import type { Align, TableBlock } from "@scorel/kit/markdown/table-rows";
import type { Theme } from "../theme/theme.ts";
import { columnsIn, mostColumnsIn, wrapped } from "./wrap.ts";

const LEAST = 6;

/** Draws a table within `width`; cells that do not fit are broken into lines. A table with too many columns is drawn as a list of rows. */
export function table(block: TableBlock, width: number, theme: Theme, draw: (cell: string) => string): string[] {
  const header = block.header.map(draw);
  const rows = block.rows.map((row) => row.map(draw));
  const widths = fitted([header, ...rows], width - 3 * (header.length - 1));
  if (!widths) return listed(header, rows, width, theme);
  const bar = theme.style("faint", " │ ");
  const drawRow = (row: readonly string[], isHead: boolean) => {
    const cells = widths.map((columns, at) => wrapped(row[at] ?? "", columns));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) => aligned(cell[line] ?? "", widths[at] ?? 0, block.align[at]))
        .map((cell) => (isHead ? theme.style("strong", cell) : cell))
        .join(bar)
        .trimEnd(),
    );
  };
  const rule = theme.style("faint", widths.map((columns) => "─".repeat(columns)).join("─┼─"));
  return [...drawRow(header, true), rule, ...rows.flatMap((row) => drawRow(row, false))];
}

/** The widths of the columns: those of their texts, with the widest ones reduced until all fit; undefined if they cannot fit. */
function fitted(rows: readonly (readonly string[])[], room: number): number[] | undefined {
  const count = rows[0]?.length ?? 0;
  if (count > room) return undefined;
  const widest = (at: number) => rows.reduce((most, row) => Math.max(most, mostColumnsIn(row[at] ?? "")), 1);
  const widths = Array.from({ length: count }, (_, at) => widest(at));
  let over = widths.reduce((sum, each) => sum + each, 0) - room;
  while (over > 0) {
    const most = Math.max(...widths);
    if (most <= LEAST) return undefined;
    widths[widths.indexOf(most)] = most - 1;
    over--;
  }
  return widths;
}

function listed(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  theme: Theme,
): string[] {
  return rows.flatMap((row, at) => [
    ...(at > 0 ? [""] : []),
    ...row.flatMap((cell, index) => wrapped(`${theme.style("strong", header[index] ?? "")}: ${cell}`, width, "  ")),
  ]);
}

function aligned(text: string, width: number, align: Align): string {
  const room = Math.max(0, width - columnsIn(text));
  const left = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(room - left);
}
