import { type Cells, cellsOf, sequenceOf } from "./cells.ts";

const ESC = "\u001b";
/** Between these two, a terminal does not show a half-drawn frame. */
const BEGIN = `${ESC}[?2026h`;
const END = `${ESC}[?2026l`;
/** The most unchanged columns between two changes that are written again, rather than skipped by moving the cursor. */
const GAP = 8;
/** The most rows by which a frame may have scrolled, for which it is compared with the former one. */
const FARTHEST_MOVE = 30;

/** The content of the whole screen. */
export interface Frame {
  /** The lines from the top, with colours; missing ones are empty. */
  lines: readonly string[];
  /** The position of the cursor, counted from 0; undefined when it is hidden. */
  cursor?: { row: number; column: number } | undefined;
  /** The number of lines at the top that scroll together. */
  moving: number;
}

/** Computes the output that changes the terminal from one frame to the next: only the parts of lines that differ. */
export class Painter {
  private columns = 0;
  private rows = 0;
  private shown: string[] = [];
  private readonly cells = new Map<string, Cells>();
  private cursor: string | undefined;
  private isCursorShown: boolean | undefined;
  private isUnknown = true;

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.forget();
  }

  /** Has the next frame drawn completely, because the terminal shows something else, as after another program. */
  forget(): void {
    this.isUnknown = true;
    this.cells.clear();
    this.cursor = undefined;
    this.isCursorShown = undefined;
  }

  /** Returns what to send to the terminal; "" if it shows this frame already. */
  paint({ lines, cursor, moving }: Frame): string {
    const next = Array.from({ length: this.rows }, (_, row) => lines[row] ?? "");
    let out = "";
    if (this.isUnknown) {
      out += `${ESC}[m${ESC}[2J`;
      this.shown = next.map(() => "");
      this.isUnknown = false;
    }
    out += this.move(next, Math.min(moving, this.rows));
    let changed = 0;
    for (let row = 0; row < this.rows; row++) {
      const drawn = this.row(row, next[row] as string);
      if (drawn !== "") changed++;
      out += drawn;
    }
    const isWhole = out === "" || changed < 2;
    this.shown = next;
    const placed = this.place(cursor, out !== "");
    this.trim();
    if (out === "") return placed;
    return isWhole ? out + placed : `${BEGIN}${out}${placed}${END}`;
  }

  /** Scrolls the upper lines up or down if less has to be drawn then. */
  private move(next: readonly string[], moving: number): string {
    const { shown } = this;
    const same = (by: number) => {
      let count = 0;
      for (let row = Math.max(0, -by); row < Math.min(moving, moving - by); row++)
        if (next[row] === shown[row + by] && next[row] !== "") count++;
      return count;
    };
    const still = same(0);
    if (moving < 3 || still >= moving - 2) return "";
    let best = 0;
    let most = still + 2;
    for (let by = 1; by <= Math.min(FARTHEST_MOVE, moving - 1); by++)
      for (const signed of [by, -by]) {
        const count = same(signed);
        if (count > most) [best, most] = [signed, count];
      }
    if (best === 0) return "";
    const kept = shown.slice(0, moving);
    const blank = Array.from({ length: Math.abs(best) }, () => "");
    const moved = best > 0 ? [...kept.slice(best), ...blank] : [...blank, ...kept.slice(0, best)];
    this.shown = [...moved, ...shown.slice(moving)];
    return `${ESC}[1;${moving}r${ESC}[${Math.abs(best)}${best > 0 ? "S" : "T"}${ESC}[r`;
  }

  /** Draws the changed parts of a row. */
  private row(row: number, line: string): string {
    const before = this.shown[row] as string;
    if (before === line) return "";
    const old = this.taken(before);
    const now = this.taken(line);
    if (old.isUncertain || now.isUncertain) return this.whole(row, now);
    let out = "";
    let style = "";
    const width = now.text.length;
    for (let at = 0; at < width; ) {
      if (isSame(old, now, at)) {
        at++;
        continue;
      }
      const from = startOf(old, now, at);
      const until = endOfChange(old, now, at);
      out += `${ESC}[${row + 1};${from + 1}H`;
      for (at = from; at < until; at++) {
        const wanted = now.style[at] ?? "";
        if (wanted !== style) out += sequenceOf(wanted);
        style = wanted;
        out += now.text[at];
      }
    }
    if (style !== "") out += sequenceOf("");
    if (old.text.length > width) out += `${ESC}[${row + 1};${width + 1}H${ESC}[K`;
    return out;
  }

  private whole(row: number, { text, style }: Cells): string {
    let out = `${ESC}[${row + 1};1H${ESC}[2K`;
    let current = "";
    for (const [at, part] of text.entries()) {
      const wanted = style[at] ?? "";
      if (wanted !== current) out += sequenceOf(wanted);
      current = wanted;
      out += part;
    }
    return current === "" ? out : out + sequenceOf("");
  }

  private place(cursor: Frame["cursor"], isDrawn: boolean): string {
    const isShown = cursor !== undefined;
    const at = cursor ? `${ESC}[${cursor.row + 1};${Math.min(cursor.column, this.columns - 1) + 1}H` : "";
    const turned = isShown === this.isCursorShown ? "" : isShown ? `${ESC}[?25h` : `${ESC}[?25l`;
    const isPlaced = at === this.cursor && !isDrawn;
    this.cursor = at;
    this.isCursorShown = isShown;
    return (isPlaced ? "" : at) + turned;
  }

  private taken(line: string): Cells {
    let cells = this.cells.get(line);
    if (!cells) {
      cells = cellsOf(line, this.columns);
      this.cells.set(line, cells);
    }
    return cells;
  }

  private trim(): void {
    if (this.cells.size <= 4 * this.rows) return;
    this.cells.clear();
  }
}

function isSame(old: Cells, now: Cells, at: number): boolean {
  const isOld = at < old.text.length;
  if (!isOld) return now.text[at] === " " && now.style[at] === "";
  return old.text[at] === now.text[at] && old.style[at] === now.style[at];
}

/** The column where drawing begins: a wide character is drawn from its first column. */
function startOf(old: Cells, now: Cells, at: number): number {
  return at > 0 && (now.text[at] === "" || old.text[at] === "") ? at - 1 : at;
}

/** The column after a change; short unchanged parts belong to it. */
function endOfChange(old: Cells, now: Cells, from: number): number {
  let until = from + 1;
  for (let at = from + 1, same = 0; at < now.text.length && same <= GAP; at++) {
    if (isSame(old, now, at)) same++;
    else {
      same = 0;
      until = at + 1;
    }
  }
  return now.text[until] === "" ? until + 1 : until;
}
