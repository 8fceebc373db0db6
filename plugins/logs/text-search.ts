import type { LogFile } from "./log-file.ts";

/** Results with more rows are not cached. */
const KEPT_ROWS = 10_000;
const KEPT_SEARCHES = 16;

/** Finds the rows of a log whose bytes contain a text. Caches the results of the last searches. */
export class TextSearch {
  private readonly file: LogFile;
  private readonly known = new Map<string, { from: number; to: number; rows: readonly number[] }>();

  constructor(file: LogFile) {
    this.file = file;
  }

  /** The rows from `first` on whose bytes contain a text, which must not need escapes in JSON. */
  rowsWith(text: string, first: number): readonly number[] {
    const known = this.known.get(text);
    if (!known || known.from > first) return this.remember(text, first, this.seek(text, first));
    if (known.to < first) return this.seek(text, first);
    // A log only grows, so earlier results stay valid, and only the new part of the file is searched.
    const rows = known.rows.concat(this.seek(text, known.to));
    this.remember(text, known.from, rows);
    return rows.filter((row) => row >= first);
  }

  private remember(text: string, from: number, rows: readonly number[]): readonly number[] {
    if (rows.length > KEPT_ROWS) return rows;
    if (this.known.size === KEPT_SEARCHES && !this.known.has(text)) this.known.clear();
    this.known.set(text, { from, to: this.file.count, rows });
    return rows;
  }

  private seek(text: string, first: number): number[] {
    const { file } = this;
    const rows: number[] = [];
    if (first >= file.count) return rows;
    file.eachChunk(file.offsets[first] as number, text.length, (chunk, at) => {
      for (let hit = chunk.indexOf(text, 0, "latin1"); hit >= 0; ) {
        const row = file.rowAt(at + hit);
        if (row >= first && row !== rows.at(-1)) rows.push(row);
        const next = (file.offsets[row] as number) + (file.lengths[row] as number) - at;
        hit = chunk.indexOf(text, Math.max(next, hit + 1), "latin1");
      }
    });
    return rows;
  }
}
