/** A time limit that can be paused, also before it starts. It runs again when every pause has ended. */
export class LimitClock {
  private pauses = 0;
  private left = 0;
  private since = 0;
  private timer: NodeJS.Timeout | undefined;
  private expire: (() => void) | undefined;

  start(limitMs: number, expire: () => void): void {
    this.left = limitMs;
    this.expire = expire;
    if (this.pauses === 0) this.run();
  }

  end(): void {
    clearTimeout(this.timer);
    this.expire = undefined;
  }

  pause(): () => void {
    if (this.pauses++ === 0 && this.expire) {
      clearTimeout(this.timer);
      this.left -= performance.now() - this.since;
    }
    let isOver = false;
    return () => {
      if (!isOver && --this.pauses === 0 && this.expire) this.run();
      isOver = true;
    };
  }

  private run(): void {
    this.since = performance.now();
    this.timer = setTimeout(this.expire as () => void, Math.max(0, this.left));
  }
}
