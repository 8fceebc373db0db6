/** The part of a stream and of an environment that tells how large a terminal is. */
export interface SizedStream {
  isTTY?: boolean;
  columns?: number | undefined;
  rows?: number | undefined;
}
type Sizes = Readonly<Record<string, string | undefined>>;

/** What terminals have had for longest, for those that say nothing. */
const COLUMNS = 80;
const ROWS = 24;

/** The columns of a terminal: as many as it says, else as `COLUMNS` says, else 80. Some, as serial lines, say that they have none. */
export function columnsOf({ columns }: SizedStream, { COLUMNS: named }: Sizes = process.env): number {
  return columns || countIn(named) || COLUMNS;
}

/** The rows of a terminal: as many as it says, else as `LINES` says, else 24. */
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
