/** Lines of the end that are shown with those of the beginning. */
const TAIL = 3;

/** The part of a long text that is shown: some lines from a place on, and always the last ones. Knows which were shown so far. */
export class Scrolled {
  private from = 0;
  private step = 1;
  private last = 0;
  private count = -1;
  private width = 0;
  private seen = new Set<number>();

  /** Whether not all lines are shown at the same time. */
  get isLong(): boolean {
    return this.last > 0;
  }

  /** The number of lines that were never shown. */
  get unseen(): number {
    return Math.max(0, this.count - this.seen.size);
  }

  /** Moves by most of what is shown. Returns false if everything is shown anyway. */
  move(by: 1 | -1): boolean {
    if (!this.isLong) return false;
    this.from = Math.min(this.last, Math.max(0, this.from + by * this.step));
    return true;
  }

  /** Shows lines in so many; `mark` draws the line that says how many are left out above it and below. */
  show(
    lines: readonly string[],
    width: number,
    room: number,
    mark: (above: number, below: number) => string,
  ): string[] {
    this.know(lines.length, width);
    if (lines.length <= room) {
      this.last = 0;
      this.from = 0;
      for (const at of lines.keys()) this.seen.add(at);
      return [...lines];
    }
    const tail = Math.min(TAIL, Math.floor((room - 1) / 2));
    const head = room - 1 - tail;
    this.last = lines.length - tail - head;
    this.step = Math.max(1, head - 1);
    this.from = Math.min(this.from, this.last);
    const end = lines.length - tail;
    for (let at = this.from; at < this.from + head; at++) this.seen.add(at);
    for (let at = end; at < lines.length; at++) this.seen.add(at);
    return [...lines.slice(this.from, this.from + head), mark(this.from, end - this.from - head), ...lines.slice(end)];
  }

  /** In another width, the lines are others. */
  private know(count: number, width: number): void {
    if (count === this.count && width === this.width) return;
    this.count = count;
    this.width = width;
    this.seen = new Set();
  }
}
