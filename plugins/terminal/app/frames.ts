/** The shortest time between two frames, in milliseconds. */
const FRAME_MS = 16;
/** The same after a key was pressed, since the user waits for its effect. */
const KEY_MS = 4;
/** Drawing takes at most 1/PARTS of the time, so that slow frames leave time for other work. */
const PARTS = 3;

/** Limits how often frames are drawn, and draws none while nothing has changed. */
export class Frames {
  private readonly draw: () => void;
  private timer: NodeJS.Timeout | undefined;
  /** When the next frame is drawn; infinite when none is requested. */
  private due = Number.POSITIVE_INFINITY;
  /** When drawing the last frame began. */
  private last = Number.NEGATIVE_INFINITY;
  /** How many milliseconds drawing the last frame took. */
  private took = 0;
  private isEnded = false;

  constructor(draw: () => void) {
    this.draw = draw;
  }

  /** Requests a frame because something has changed. */
  request(): void {
    this.drawBy(this.last + Math.max(FRAME_MS, PARTS * this.took));
  }

  /** Requests a frame because the user has pressed a key. */
  requestForKey(): void {
    this.drawBy(this.last + KEY_MS);
  }

  /** Requests a frame in `ms` milliseconds, when something changes by itself. */
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
