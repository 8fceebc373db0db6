/**
 * The rows of a terminal with this many columns after this output. Supports the control sequences that readline and the
 * chat use.
 */
export function rowsOf(output: string, columns: number): string[] {
  const rows: string[][] = [[]];
  const cursor = { row: 0, column: 0 };
  const to = (row: number, column: number) => {
    Object.assign(cursor, { row: Math.max(0, row), column: Math.max(0, column) });
    while (rows.length <= cursor.row) rows.push([]);
  };
  const clear = () => void rows[cursor.row]?.splice(cursor.column);
  const moves: Record<string, (n: number) => void> = {
    A: (n) => to(cursor.row - n, cursor.column),
    B: (n) => to(cursor.row + n, cursor.column),
    C: (n) => to(cursor.row, cursor.column + n),
    D: (n) => to(cursor.row, cursor.column - n),
    G: (n) => to(cursor.row, n - 1),
    K: clear,
    J() {
      clear();
      rows.splice(cursor.row + 1);
    },
  };
  const write = (character: string) => {
    if (cursor.column === columns) to(cursor.row + 1, 0);
    const line = rows[cursor.row] as string[];
    while (line.length < cursor.column) line.push(" ");
    line[cursor.column] = character;
    cursor.column++;
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal acts on
  for (const [piece, count = "", name = ""] of output.matchAll(/\x1b\[([\d;?]*)([A-Za-z])|[\s\S]/g)) {
    if (name !== "") moves[name]?.(Number(count) || 1);
    else if (piece === "\r") to(cursor.row, 0);
    else if (piece === "\n") to(cursor.row + 1, cursor.column);
    else write(piece);
  }
  return rows.map((line) => line.join("").trimEnd());
}
