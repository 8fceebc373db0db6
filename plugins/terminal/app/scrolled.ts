/** The number of last lines that are always shown, and that number once the reader has moved the text. */
const TAIL = 3;
const TAIL_WHILE_READ = 1;

/** The shown part of long text: a range of lines that can be moved, and always the last ones. Remembers which lines were shown. */
export class Scrolled {
  /** Whether the reader has moved the text, and thus needs room for it more than anything else. */
  isBeingRead = false;
  private from = 0;
  private step = 1;
  private last = 0;
  private count = -1;
  private width = 0;
  private seen = new Set<number>();

  /** Whether there are more lines than fit at the same time. */
  get isLong(): boolean {
    return this.last > 0;
  }

  /** The number of lines that were not shown yet. */
  get unseen(): number {
    return Math.max(0, this.count - this.seen.size);
  }

  /** Moves the range by its length less one line. Returns false if everything is shown anyway. */
  move(by: 1 | -1): boolean {
    if (!this.isLong) return false;
    this.isBeingRead = true;
    this.from = Math.min(this.last, Math.max(0, this.from + by * this.step));
    return true;
  }

  /**
   * Shows the text in `room` lines; `mark` draws the line that says how many lines are left out above and below. The lines that are always
   * shown are the last ones before the index `end`: the end of a command, not of the explanations after it.
   */
  show(
    { lines, end }: { lines: readonly string[]; end: number },
    width: number,
    room: number,
    mark: (above: number, below: number) => string,
  ): string[] {
    this.forgetIfChanged(lines.length, width);
    const all = [...lines.keys()];
    const isLong = lines.length > room;
    const tail = isLong ? Math.min(this.isBeingRead ? TAIL_WHILE_READ : TAIL, Math.floor((room - 1) / 2), end) : 0;
    const head = isLong ? room - 1 - tail : lines.length;
    const moving = [...all.slice(0, end - tail), ...all.slice(end)];
    this.last = moving.length - head;
    this.step = Math.max(1, head - 1);
    this.from = Math.min(this.from, this.last);
    const shown = moving.slice(this.from, this.from + head);
    const fixed = all.slice(end - tail, end);
    for (const at of [...shown, ...fixed]) this.seen.add(at);
    const draw = (which: readonly number[]) => which.map((at) => lines[at] as string);
    if (!isLong) return draw(shown);
    return [...draw(shown), mark(this.from, this.last - this.from), ...draw(fixed)];
  }

  /** Forgets which lines were shown when the text or its width has changed. */
  private forgetIfChanged(count: number, width: number): void {
    if (count === this.count && width === this.width) return;
    this.count = count;
    this.width = width;
    this.seen = new Set();
  }
}
