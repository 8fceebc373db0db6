import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
  errors as natsErrors,
  type Subscription,
} from "@nats-io/transport-node";
import { messageOf } from "@scorel/kernel";
import { plainText } from "@scorel/kit/text/plain";
import { errors } from "../../errors.ts";
import type { Bytes } from "../../protocol/primitives.ts";
import { type Bus, type BusEvents, type Take, Unavailable } from "./bus.ts";
import type { NatsLogin, NatsSettings } from "./nats-settings.ts";

/** Milliseconds for connecting to one server, and between pings. A server that misses two pings counts as gone. */
const TIMES = { connect: 2_000, ping: 2_000 };
/** Milliseconds: the shortest and the longest wait before all servers are tried again. */
const WAITS = { first: 50, last: 1_000 };
/** Bytes that may wait for the server, and bytes after which the server is asked whether they have arrived. */
const UNSENT = { most: 32 * 1024 * 1024, unasked: 1024 * 1024 };
/** Smallest message size that a server has to allow, in bytes. All messages of the bus are shorter. */
const MIN_PAYLOAD = 128 * 1024;

interface Subscriber {
  subject: string;
  take: Take;
  /** Subscription at the current connection. Invalid while the bus is lost. */
  current: Subscription | undefined;
}

/** A bus of NATS servers. Nothing is stored: a message without subscribers is lost. */
export class NatsBus implements Bus {
  private readonly settings: NatsSettings;
  private readonly warn: (message: string) => void;
  private readonly subscribers = new Set<Subscriber>();
  /** The connection from `join`, until the bus is started. */
  private first: NatsConnection | undefined;
  private connection: NatsConnection | undefined;
  private events: BusEvents | undefined;
  private problem = "";
  private failures = 0;
  private retry: NodeJS.Timeout | undefined;
  private isClosed = false;
  /** Bytes sent over this connection, and bytes that the server has confirmed. */
  private sent = 0;
  private arrived = 0;
  private isAsking = false;

  private constructor(settings: NatsSettings, warn: (message: string) => void) {
    this.settings = settings;
    this.warn = warn;
  }

  /** Connects. If no server can be reached, they are tried again later. Throws RELAY_BUS if a server refuses this relay. */
  static async join(settings: NatsSettings, warn: (message: string) => void): Promise<NatsBus> {
    const bus = new NatsBus(settings, warn);
    try {
      bus.first = await bus.dial();
    } catch (thrown) {
      if (!isUnreachable(thrown)) throw bus.error(thrown);
      bus.failed(thrown);
    }
    return bus;
  }

  get isConnected(): boolean {
    return this.connection !== undefined && !this.connection.isClosed();
  }

  get isFull(): boolean {
    return this.sent - this.arrived > UNSENT.most;
  }

  start(events: BusEvents): void {
    this.events = events;
    if (this.first) this.use(this.first);
    this.first = undefined;
  }

  publish(subject: string, message: Bytes): boolean {
    const connection = this.connection;
    if (!connection || connection.isClosed()) return false;
    connection.publish(subject, message);
    this.sent += message.length;
    if (this.sent - this.arrived > UNSENT.unasked && !this.isAsking) this.ask(connection);
    return true;
  }

  async request(subject: string, message: Bytes, limitMs: number): Promise<Bytes | undefined> {
    if (!this.connection) throw new Unavailable("The bus of this relay is lost.");
    try {
      return (await this.connection.request(subject, message, { timeout: limitMs })).data as Bytes;
    } catch (thrown) {
      if (thrown instanceof natsErrors.RequestError && thrown.isNoResponders()) return undefined;
      throw new Unavailable("Another relay does not answer.", { cause: thrown });
    }
  }

  subscribe(subject: string, take: Take): () => void {
    const subscriber: Subscriber = { subject, take, current: undefined };
    this.subscribers.add(subscriber);
    if (this.connection) this.listen(this.connection, subscriber);
    return () => {
      this.subscribers.delete(subscriber);
      if (this.isConnected) subscriber.current?.unsubscribe();
    };
  }

  async settled(): Promise<void> {
    // If the connection breaks, `lost` is called; another error would be of no use.
    if (this.isConnected) await this.connection?.flush().catch(() => {});
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.retry);
    await (this.connection ?? this.first)?.close();
  }

  private async dial(): Promise<NatsConnection> {
    const { servers, isTls, login } = this.settings;
    const connection = await connect({
      // The servers are tried in the order in which the owner has listed them.
      ...{ servers, noRandomize: true, ignoreClusterUpdates: true },
      ...{ name: "scorel relay", noEcho: true, noAsyncTraces: true },
      // Reconnecting is done here, since the client would then send old messages that were buffered.
      ...{ reconnect: false, timeout: TIMES.connect, pingInterval: TIMES.ping, maxPingOut: 2 },
      ...(isTls && { tls: {} }),
      ...(login && loginOptions(login)),
    });
    const { max_payload: most = 0 } = connection.info ?? {};
    if (most >= MIN_PAYLOAD) return connection;
    await connection.close();
    throw new Error(`its max_payload is ${most}, but has to be at least ${MIN_PAYLOAD}`);
  }

  private use(connection: NatsConnection): void {
    this.connection = connection;
    [this.sent, this.arrived, this.isAsking] = [0, 0, false];
    if (this.problem !== "") this.warn("The relay is on its bus again.");
    [this.problem, this.failures] = ["", 0];
    for (const subscriber of this.subscribers) this.listen(connection, subscriber);
    void connection.closed().then((thrown) => this.lost(thrown));
    this.events?.connected();
  }

  private listen(connection: NatsConnection, subscriber: Subscriber): void {
    const { subject, take } = subscriber;
    subscriber.current = connection.subscribe(subject, {
      callback: (error, message) => {
        // For example, the user may not be allowed to subscribe to this subject.
        if (error) this.warn(this.error(error).message);
        else take(message.data as Bytes, (reply) => void message.respond(reply));
      },
    });
  }

  private lost(thrown: unknown): void {
    this.connection = undefined;
    if (this.isClosed) return;
    this.events?.lost();
    this.failed(thrown ?? new Error("the connection was closed"));
  }

  /**
   * Tries all servers again after a while. Shows the error if it is the first, or if it differs from the last one and is more than that no
   * server can be reached.
   */
  private failed(thrown: unknown): void {
    const { message } = this.error(thrown);
    if (this.problem === "" || (this.problem !== message && !isUnreachable(thrown))) this.warn(message);
    this.problem = message;
    const longest = Math.min(WAITS.last, WAITS.first * 2 ** this.failures++);
    // Random, so that relays do not all come back at once.
    this.retry = setTimeout(() => void this.again(), longest * (0.5 + Math.random() / 2));
  }

  private async again(): Promise<void> {
    try {
      const connection = await this.dial();
      if (this.isClosed) await connection.close();
      else this.use(connection);
    } catch (thrown) {
      if (!this.isClosed) this.failed(thrown);
    }
  }

  /** Asks the server to confirm what was sent so far. */
  private ask(connection: NatsConnection): void {
    this.isAsking = true;
    const sent = this.sent;
    connection.flush().then(
      () => {
        if (this.connection !== connection) return;
        [this.arrived, this.isAsking] = [sent, false];
      },
      // The connection is lost, which is handled by `lost`.
      () => {},
    );
  }

  private error(thrown: unknown) {
    const servers = this.settings.servers.join(", ");
    return errors.RELAY_BUS({ servers, reason: plainText(messageOf(thrown)) }, { cause: thrown });
  }
}

/** Whether no server could be reached, so that trying again may help. */
function isUnreachable(thrown: unknown): boolean {
  return /^(?:ConnectionError|TimeoutError)$/.test((thrown as Error).name) || "code" in (thrown as Error);
}

function loginOptions(login: NatsLogin): ConnectionOptions {
  return "credentials" in login ? { authenticator: credsAuthenticator(login.credentials) } : login;
}
