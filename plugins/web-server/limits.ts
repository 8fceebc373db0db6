import type { Socket } from "node:net";

export interface Limits {
  /** Connections from one address. */
  perAddress: number;
  /** Connections that have not shown a token yet. */
  pending: number;
  /** Milliseconds that a connection gets to show a token. */
  deadlineMs: number;
  /** Wrong tokens that are answered, by address and altogether; further ones are not. */
  failures: { burst: number; perSecond: number };
  allFailures: { burst: number; perSecond: number };
}

export const LIMITS: Limits = {
  perAddress: 64,
  pending: 256,
  deadlineMs: 5_000,
  failures: { burst: 10, perSecond: 1 / 6 },
  allFailures: { burst: 100, perSecond: 1 },
};

/** A bucket of tokens that fills up with time. */
export class Bucket {
  private readonly burst: number;
  private readonly perSecond: number;
  private left: number;
  private at = performance.now();

  constructor({ burst, perSecond }: { burst: number; perSecond: number }) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.left = burst;
  }

  /** Takes one; false if there is none. */
  take(): boolean {
    this.fill();
    if (this.left < 1) return false;
    this.left--;
    return true;
  }

  get isFull(): boolean {
    this.fill();
    return this.left >= this.burst;
  }

  private fill(): void {
    const now = performance.now();
    this.left = Math.min(this.burst, this.left + ((now - this.at) / 1_000) * this.perSecond);
    this.at = now;
  }
}

/** Counts connections, and closes those that show no token in time. */
export class Connections {
  private readonly limits: Limits;
  private readonly byAddress = new Map<string, number>();
  private readonly deadlines = new Map<Socket, NodeJS.Timeout>();
  private readonly failures = new Map<string, Bucket>();
  private readonly allFailures: Bucket;

  constructor(limits: Limits) {
    this.limits = limits;
    this.allFailures = new Bucket(limits.allFailures);
  }

  /** Counts a connection, or closes it if its address has too many. */
  enter(socket: Socket): void {
    const address = socket.remoteAddress ?? "";
    const count = this.byAddress.get(address) ?? 0;
    if (count >= this.limits.perAddress) return void socket.destroy();
    this.byAddress.set(address, count + 1);
    socket.once("close", () => {
      const left = (this.byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.byAddress.set(address, left);
      else this.byAddress.delete(address);
    });
  }

  /** Gives a connection time to show a token, or closes it if too many others have not done so either. */
  expect(socket: Socket): void {
    if (this.deadlines.size >= this.limits.pending) return void socket.destroy();
    this.deadlines.set(
      socket,
      setTimeout(() => socket.destroy(), this.limits.deadlineMs),
    );
    socket.once("close", () => this.settle(socket));
  }

  /** The connection has shown a valid token. */
  settle(socket: Socket): void {
    clearTimeout(this.deadlines.get(socket));
    this.deadlines.delete(socket);
  }

  /** Counts a wrong token. False if there were too many. Valid tokens are not limited: nobody can lock the owner out. */
  mayFail(address = ""): boolean {
    const bucket = this.failures.get(address) ?? new Bucket(this.limits.failures);
    this.failures.set(address, bucket);
    if (this.failures.size > 1_000)
      for (const [each, { isFull }] of this.failures) if (isFull) this.failures.delete(each);
    return bucket.take() && this.allFailures.take();
  }
}
