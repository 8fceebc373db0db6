/** The shortest time between two pictures, in milliseconds. */
const FRAME_MS = 16;

/** Draws at most one picture in a moment, and none while nothing has changed. */
export class Frames {
  private readonly draw: () => void;
  private timer: NodeJS.Timeout | undefined;
  private last = Number.NEGATIVE_INFINITY;
  private isEnded = false;

  constructor(draw: () => void) {
    this.draw = draw;
  }

  /** Something has changed. */
  request(): void {
    if (this.timer || this.isEnded) return;
    const wait = Math.max(0, this.last + FRAME_MS - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.now();
    }, wait);
  }

  now(): void {
    if (this.isEnded) return;
    this.last = performance.now();
    this.draw();
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.timer);
  }
}
