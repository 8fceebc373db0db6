import type { ScorelError } from "@scorel/kernel";
import { nodeCrypto } from "../node-crypto.ts";
import { connectRelay, type PeerEvents, type RelayConnection } from "../peer/connection.ts";
import { nodeSocket } from "../peer/node-socket.ts";
import type { Identity } from "../protocol/identity.ts";

/** Milliseconds: the shortest and the longest wait before connecting again. */
const TIMES = { first: 250, last: 30_000 };
/** Of the time that a relay has been away, which part is waited. One that is restarted is found again soon, one that is gone is asked rarely. */
const PART = 5;
/** After these, connecting again would not help, or take the place of another connection that is wanted. */
const FINAL = ["superseded", "blocked", "unauthenticated"];

interface LinkOptions {
  address: string;
  identity: Identity;
  events: Omit<PeerEvents, "closed" | "refused">;
  /** A connection was made: the first or a later one. */
  connected(connection: RelayConnection): void;
  warn(message: string, thrown: unknown): void;
}

/** Keeps a host connected with a relay. */
export class RelayLink {
  readonly #options: LinkOptions;
  #connection: RelayConnection | undefined;
  #connecting: Promise<RelayConnection> | undefined;
  #wait: NodeJS.Timeout | undefined;
  /** When it was connected or lost last. */
  #since = performance.now();
  /** Milliseconds without a connection. Those with one are taken off again, so that a relay which ends each connection at once is asked rarely, too. */
  #away = 0;
  #problem: string | undefined;
  #isEnded = false;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /** For people: `connected`, or why not. */
  get state(): string {
    return this.#connection?.isOpen ? "connected" : (this.#problem ?? "connecting");
  }

  get connection(): RelayConnection | undefined {
    return this.#connection?.isOpen ? this.#connection : undefined;
  }

  /** Connects unless it is connected, and goes on trying if that fails. Throws why it has failed. */
  async connect(): Promise<RelayConnection> {
    if (this.connection) return this.connection;
    clearTimeout(this.#wait);
    this.#connecting ??= this.#begin().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Connects now or later; failures are only logged. */
  start(): void {
    this.connect().catch(() => {});
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#wait);
    this.#connection?.close();
  }

  async #begin(): Promise<RelayConnection> {
    const { address, identity, events } = this.#options;
    try {
      const connection = await connectRelay({
        ...{ address, primitives: nodeCrypto, make: nodeSocket },
        who: { role: "host", identity },
        events: { ...events, closed: (error) => this.#lost(error) },
      });
      if (this.#isEnded) connection.close();
      this.#count(1);
      this.#connection = connection;
      this.#problem = undefined;
      this.#options.connected(connection);
      return connection;
    } catch (thrown) {
      this.#lost(thrown as ScorelError);
      throw thrown;
    }
  }

  #lost(error: ScorelError): void {
    if (this.#isEnded) return;
    const { address, warn } = this.#options;
    this.#count(this.#connection ? -1 : 1);
    this.#connection = undefined;
    if (this.#problem !== error.message) warn(`The relay ${address} is not connected`, error);
    this.#problem = error.message;
    const { reason } = error.data as { reason?: string };
    if (FINAL.includes(reason ?? "")) return;
    const longest = Math.min(TIMES.last, Math.max(TIMES.first, this.#away / PART));
    // Half of it is random, so that hosts do not all come back at once.
    this.#wait = setTimeout(() => this.start(), longest * (0.5 + Math.random() / 2));
    this.#wait.unref();
  }

  /** Adds the time since the last change to the time away, or takes it off. */
  #count(sign: 1 | -1): void {
    const now = performance.now();
    this.#away = Math.max(0, this.#away + sign * (now - this.#since));
    this.#since = now;
  }
}
