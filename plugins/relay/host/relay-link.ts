import type { ScorelError } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { nodeCrypto } from "../node-crypto.ts";
import { connectRelay, type PeerEvents, type RelayConnection } from "../peer/connection.ts";
import { type Tried, triedTexts } from "../peer/first-reached.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import type { Identity } from "../protocol/identity.ts";

/** Milliseconds: the shortest and the longest wait before connecting again. */
const TIMES = { first: 250, last: 30_000 };
/**
 * The wait before connecting again is the time without a connection divided by this: a restarted relay is soon found again, and one that is
 * gone is rarely asked.
 */
const PART = 5;
/** Milliseconds that a relay may take to answer if there are others to try. */
const ONE_OF_SEVERAL_MS = 3_000;
/** Milliseconds after which a host that is connected to another relay tries the first one again. */
const RETURN_MS = 5 * 60_000;
/** Why an ended link has no connection. */
const ENDED = "this host has left it";
/** After these reasons, connecting again would fail. */
const FINAL = ["blocked", "unauthenticated"];

export interface LinkOptions {
  /** The relays of one owner, in the order in which they are tried; at least one. */
  addresses: readonly string[];
  identity: Identity;
  events: Omit<PeerEvents, "closed" | "refused">;
  /** Called whenever a connection has been made. */
  connected(connection: RelayConnection): void;
  /** Whether the host may change its relay at this moment: no route is open, and no pairing code is shown. */
  isIdle(): boolean;
  warn(message: string, thrown: unknown): void;
  /** Milliseconds; only tests set a shorter time. */
  returnMs?: number | undefined;
}

/** Keeps a host connected to one relay of one owner. */
export class RelayLink {
  private readonly options: LinkOptions;
  private current: RelayConnection | undefined;
  private connecting: Promise<RelayConnection> | undefined;
  /** Ends the attempts to connect that are being made. */
  private readonly attempts = new Set<AbortController>();
  private isReturning = false;
  private wait: NodeJS.Timeout | undefined;
  /** Time of the last connection or disconnection. */
  private since = performance.now();
  /** Milliseconds without a connection, minus those with one, so that a relay which ends each connection at once is rarely asked, too. */
  private away = 0;
  /** Why each relay is not connected. */
  private readonly problems = new Map<string, ScorelError>();
  /** The relay whose connection was lost last. It is tried after all others. */
  private lostAt: string | undefined;
  private isEnded = false;

  constructor(options: LinkOptions) {
    this.options = options;
  }

  get addresses(): readonly string[] {
    return this.options.addresses;
  }

  /** State of each relay, as text for people: `connected`, or why it is not. */
  get states(): { address: string; state: string }[] {
    const rest = this.connection ? "kept for when the others do not answer" : "connecting";
    return this.addresses.map((address) => {
      const isHere = this.connection?.address === address;
      return { address, state: isHere ? "connected" : (this.problems.get(address)?.message ?? rest) };
    });
  }

  get connection(): RelayConnection | undefined {
    return this.current?.isOpen ? this.current : undefined;
  }

  /** Connects unless there is a connection. After a failure it goes on trying, and throws the error of this try. */
  async connect(): Promise<RelayConnection> {
    if (this.connection) return this.connection;
    if (this.isEnded) throw errors.RELAY_UNREACHABLE({ relay: this.addresses[0] as string, reason: ENDED });
    clearTimeout(this.wait);
    this.connecting ??= this.begin().finally(() => {
      this.connecting = undefined;
    });
    return this.connecting;
  }

  /** Connects, and goes on trying; failures are only logged. */
  start(): void {
    this.connect().catch(() => {});
  }

  end(): void {
    this.isEnded = true;
    clearTimeout(this.wait);
    for (const attempt of this.attempts) attempt.abort(ENDED);
    this.current?.close();
  }

  private async begin(): Promise<RelayConnection> {
    const tried: Tried[] = [];
    for (const address of this.inOrder()) {
      try {
        return this.entered(await this.reach(address));
      } catch (thrown) {
        tried.push({ address, thrown: thrown as Error });
        this.refused(address, thrown as ScorelError);
        // A later connection of an ended link would end the one of the link that has replaced it.
        if (this.isEnded || reasonIn(thrown) === "superseded") break;
      }
    }
    this.count(1);
    this.goOn();
    throw tried.length === 1
      ? (tried[0] as Tried).thrown
      : errors.RELAY_HOST_APART({ tried: triedTexts(tried) }, { cause: tried[0]?.thrown });
  }

  private inOrder(): string[] {
    const last = this.addresses.filter((address) => address === this.lostAt);
    return [...this.addresses.filter((address) => address !== this.lostAt), ...last];
  }

  private async reach(address: string): Promise<RelayConnection> {
    const { identity, events } = this.options;
    const attempt = new AbortController();
    this.attempts.add(attempt);
    try {
      return await connectRelay({
        ...{ address, primitives: nodeCrypto, make: nodeSocket, signal: attempt.signal },
        limitMs: this.addresses.length > 1 ? ONE_OF_SEVERAL_MS : undefined,
        who: { role: "host", identity },
        events: { ...events, closed: (error) => this.lost(address, error) },
      });
    } finally {
      this.attempts.delete(attempt);
    }
  }

  private entered(connection: RelayConnection): RelayConnection {
    if (this.isEnded) connection.close(ENDED);
    if (!connection.isOpen)
      throw errors.RELAY_UNREACHABLE({ relay: connection.address, reason: "the connection was lost" });
    if (!this.current) this.count(1);
    this.current = connection;
    this.lostAt = undefined;
    this.problems.delete(connection.address);
    this.options.connected(connection);
    if (connection.address !== this.addresses[0]) this.returnLater();
    return connection;
  }

  /**
   * Handles the end of a connection. While the host returns to its first relay, the relay ends the previous connection because of the new
   * one.
   */
  private lost(address: string, error: ScorelError): void {
    if (this.isEnded || this.current?.address !== address) return;
    this.count(-1);
    this.current = undefined;
    if (this.isReturning) return;
    clearTimeout(this.wait);
    this.lostAt = address;
    this.refused(address, error);
    // Connecting again would end the newer connection, which is wanted.
    if (reasonIn(error) !== "superseded") this.goOn();
  }

  private refused(address: string, error: ScorelError): void {
    if (this.isEnded) return;
    if (this.problems.get(address)?.message !== error.message)
      this.options.warn(`The relay ${address} is not connected`, error);
    this.problems.set(address, error);
  }

  /**
   * Connects again after a while, unless that cannot help. It can after a refusal because of a newer connection: that may be dead, made by
   * this computer before its clock was set back.
   */
  private goOn(): void {
    if (this.addresses.every((address) => this.isFinal(address))) return;
    const longest = Math.min(TIMES.last, Math.max(TIMES.first, this.away / PART));
    // `after` makes the wait random, so that hosts do not all come back at once.
    this.after(longest, () => this.start());
  }

  private isFinal(address: string): boolean {
    return FINAL.includes(reasonIn(this.problems.get(address)) ?? "");
  }

  private returnLater(): void {
    this.after(this.options.returnMs ?? RETURN_MS, () => void this.returnToFirst());
  }

  /** Returns to the first relay if it answers. Until then, and while the current connection is in use, the host stays where it is. */
  private async returnToFirst(): Promise<void> {
    const [first] = this.addresses as [string];
    if (!this.connection || !this.options.isIdle()) return this.returnLater();
    const before = this.current;
    this.isReturning = true;
    try {
      this.entered(await this.reach(first));
      before?.close();
    } catch (thrown) {
      if (this.isEnded) return;
      this.refused(first, thrown as ScorelError);
      if (this.connection) this.returnLater();
      else this.start();
    } finally {
      this.isReturning = false;
    }
  }

  /** Runs `work` after a random time between half of `ms` and `ms`. */
  private after(ms: number, work: () => void): void {
    clearTimeout(this.wait);
    if (this.isEnded) return;
    this.wait = setTimeout(work, ms * (0.5 + Math.random() / 2));
    this.wait.unref();
  }

  /** Adds the time since the last change to `away`, or subtracts it. */
  private count(sign: 1 | -1): void {
    const now = performance.now();
    this.away = Math.max(0, this.away + sign * (now - this.since));
    this.since = now;
  }
}

function reasonIn(thrown: unknown): string | undefined {
  return (thrown as { data?: { reason?: string } } | undefined)?.data?.reason;
}
