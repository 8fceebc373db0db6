import type { Socket } from "node:net";

export interface Limits {
  /** Most connections at the same time that have shown a token. */
  connections: number;
  /** How many of `connections` are reserved for tokens with `admin`. */
  reserved: number;
  /** Most connections of one token without `admin`; separately, most requests of it that are being answered, event streams included. */
  perToken: number;
  /** Most connections from one address that have not shown a token yet. */
  perAddress: number;
  /** Most connections from all addresses together that have not shown a token yet. */
  pending: number;
  /** Milliseconds that a connection has to show a token. */
  deadlineMs: number;
  /** Milliseconds that it has to read an answer that needs no token, such as a file of the page. */
  readingMs: number;
  /** How many wrong tokens get an answer, per address (`failures`) and from all addresses together (`allFailures`). */
  failures: { burst: number; perSecond: number };
  allFailures: { burst: number; perSecond: number };
}

export const LIMITS: Limits = {
  connections: 1_024,
  // As many as `pending`: connections without a token and those without `admin` are then together at most `connections`.
  reserved: 256,
  perToken: 128,
  perAddress: 192,
  pending: 256,
  deadlineMs: 5_000,
  readingMs: 60_000,
  failures: { burst: 10, perSecond: 1 / 6 },
  allFailures: { burst: 100, perSecond: 1 },
};

/** A token bucket: `burst` at once, refilled at `perSecond`. */
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

  /** Takes one token out of the bucket. Returns false if it is empty. */
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
 * Limits connections that have not shown a token yet. When there are too many, the oldest is closed for the new one, which may be about to
 * show its token. Connections with a valid token are not counted here, so nobody without a token can lock them out.
 */
export class Connections {
  private readonly limits: Limits;
  /**
   * Connections without a token, the oldest first. The key is made from both addresses, which a TLS socket shares with the socket below it.
   */
  private readonly strangers = new Map<string, Stranger>();
  private readonly failures = new Map<string, Bucket>();
  private readonly allFailures: Bucket;

  constructor(limits: Limits) {
    this.limits = limits;
    this.allFailures = new Bucket(limits.allFailures);
  }

  /** Registers a new connection, and closes it if it shows no token in time. */
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

  /** Stops limiting a connection that has shown a valid token. */
  settle(socket: Socket): void {
    this.forget(keyOf(socket));
  }

  /**
   * Gives a connection time to read an answer that needs no token: over a slow line, a file of the page takes longer than showing a token. The
   * connection counts as before, so it can be closed for a new one.
   */
  serve(socket: Socket): void {
    this.allow(socket, this.limits.readingMs);
  }

  /** Gives a connection the time of a new one to show a token, such as a WebSocket over a connection that has loaded a file. */
  awaitToken(socket: Socket): void {
    this.allow(socket, this.limits.deadlineMs);
  }

  private allow(socket: Socket, ms: number): void {
    const stranger = this.strangers.get(keyOf(socket));
    if (!stranger) return;
    clearTimeout(stranger.deadline);
    stranger.deadline = setTimeout(() => stranger.socket.destroy(), ms);
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

  /** Counts a wrong token. Returns false if there were too many. Valid tokens are not limited, so nobody can lock the owner out. */
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
