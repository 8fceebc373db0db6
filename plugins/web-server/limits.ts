import type { Socket } from "node:net";

export interface Limits {
  /** Connections at a time, from all addresses. */
  connections: number;
  /** Those of them that only tokens with `admin` get. */
  reserved: number;
  /** Connections of one token without `admin`, and its requests that are being answered, event streams included. */
  perToken: number;
  /** Connections that have not shown a token yet, from one address. */
  perAddress: number;
  /** The same from all addresses together. */
  pending: number;
  /** Milliseconds that a connection gets to show a token. */
  deadlineMs: number;
  /** Wrong tokens that are answered, by address and altogether; further ones are not. */
  failures: { burst: number; perSecond: number };
  allFailures: { burst: number; perSecond: number };
}

export const LIMITS: Limits = {
  connections: 1_024,
  // As many as may be open without a token, which together with all other ones leave none.
  reserved: 256,
  perToken: 128,
  perAddress: 192,
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

interface Stranger {
  key: string;
  address: string;
  socket: Socket;
  deadline: NodeJS.Timeout;
}

/**
 * Limits connections that have not shown a token. Those that have shown one are not counted here, so that nobody without a token can keep
 * them out: of too many silent connections, the oldest gives way to the new one, which may be about to show its token.
 */
export class Connections {
  private readonly limits: Limits;
  /** Connections without a token, the oldest first, by their two ends, which the socket inside of an encrypted one has as well. */
  private readonly strangers = new Map<string, Stranger>();
  private readonly failures = new Map<string, Bucket>();
  private readonly allFailures: Bucket;

  constructor(limits: Limits) {
    this.limits = limits;
    this.allFailures = new Bucket(limits.allFailures);
  }

  /** Gives a new connection time to show a token. */
  enter(socket: Socket): void {
    const { remoteAddress: address = "" } = socket;
    const key = keyOf(socket);
    const fromThere = [...this.strangers.values()].filter((stranger) => stranger.address === address);
    if (fromThere.length >= this.limits.perAddress) this.evict(fromThere[0]);
    else if (this.strangers.size >= this.limits.pending) this.evict(this.strangers.values().next().value);
    const stranger = {
      key,
      address,
      socket,
      deadline: setTimeout(() => socket.destroy(), this.limits.deadlineMs),
    };
    this.strangers.set(key, stranger);
    socket.once("close", () => {
      if (this.strangers.get(key) === stranger) this.forget(key);
    });
  }

  /** The connection has shown a valid token. */
  settle(socket: Socket): void {
    this.forget(keyOf(socket));
  }

  private evict(stranger: Stranger | undefined): void {
    if (!stranger) return;
    this.forget(stranger.key);
    stranger.socket.destroy();
  }

  private forget(key: string): void {
    clearTimeout(this.strangers.get(key)?.deadline);
    this.strangers.delete(key);
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

function keyOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
