/** The shortest time between two pictures, in milliseconds. */
const FRAME_MS = 16;
/** The same when a person waits to see what a key does. */
const KEY_MS = 4;
/** Drawing takes at most one part in so many of the time, so that slow pictures leave time for other work. */
const PARTS = 3;

/** Draws at most one picture in a moment, and none while nothing has changed. */
export class Frames {
  private readonly draw: () => void;
  private timer: NodeJS.Timeout | undefined;
  /** When the next picture is drawn. */
  private due = Number.POSITIVE_INFINITY;
  /** When the last picture was begun. */
  private last = Number.NEGATIVE_INFINITY;
  /** How long drawing it took. */
  private took = 0;
  private isEnded = false;

  constructor(draw: () => void) {
    this.draw = draw;
  }

  /** Something has changed. */
  request(): void {
    this.drawBy(this.last + Math.max(FRAME_MS, PARTS * this.took));
  }

  /** A person has changed something. */
  requestForKey(): void {
    this.drawBy(this.last + KEY_MS);
  }

  /** Something changes by itself in so many milliseconds. */
  requestIn(ms: number): void {
    this.drawBy(performance.now() + ms);
  }

  private drawBy(due: number): void {
    if (this.isEnded || due >= this.due) return;
    this.due = due;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.now(), Math.max(0, due - performance.now()));
  }

  now(): void {
    if (this.isEnded) return;
    clearTimeout(this.timer);
    this.due = Number.POSITIVE_INFINITY;
    this.last = performance.now();
    this.draw();
    this.took = performance.now() - this.last;
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }
}
