/** Milliseconds after which a request counts as waiting for something, so that the next one begins. */
const QUICK_MS = 20;
/** Milliseconds between two checks whether a client that did not read has read. */
const LOOK_MS = 50;

type Request = () => Promise<void>;

/**
 * Begins the requests of one client one after the other, and none while the client does not read. So a client that sends many requests
 * without reading the answers makes the host hold only few of them.
 */
export class RequestLine {
  private readonly isStuck: () => boolean;
  private readonly waiting: Request[] = [];
  private isRunning = false;

  constructor(isStuck: () => boolean) {
    this.isStuck = isStuck;
  }

  add(request: Request): void {
    this.waiting.push(request);
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    for (let request = this.waiting.shift(); request; request = this.waiting.shift()) {
      while (this.isStuck()) await after(LOOK_MS).over;
      const limit = after(QUICK_MS);
      await Promise.race([request(), limit.over]);
      limit.clear();
    }
    this.isRunning = false;
  }
}

function after(ms: number): { over: Promise<void>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
    timer.unref();
  });
  return { over, clear: () => clearTimeout(timer) };
}
