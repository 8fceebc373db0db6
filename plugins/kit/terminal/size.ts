/** The fields of a stream that tell how large its terminal is. */
export interface SizedStream {
  isTTY?: boolean;
  columns?: number | undefined;
  rows?: number | undefined;
}
type Sizes = Readonly<Record<string, string | undefined>>;

/** The traditional terminal size, for terminals that report none. */
const COLUMNS = 80;
const ROWS = 24;

/** The columns of a terminal: those that it reports, else the variable `COLUMNS`, else 80. Serial lines, for example, report 0. */
export function columnsOf({ columns }: SizedStream, { COLUMNS: named }: Sizes = process.env): number {
  return columns || countIn(named) || COLUMNS;
}

/** The rows of a terminal: those that it reports, else the variable `LINES`, else 24. */
export function rowsOf({ rows }: SizedStream, { LINES: named }: Sizes = process.env): number {
  return rows || countIn(named) || ROWS;
}

/** The columns of a stream that is a terminal; undefined for a file or a pipe, whose lines may have any length. */
export function widthIn(stream: SizedStream, env?: Sizes): number | undefined {
  return stream.isTTY ? columnsOf(stream, env) : undefined;
}

function countIn(text = ""): number {
  return /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
}
