/** Keeps a client connected to its host: connects, notices a dead connection, and connects again. Runs in browsers, too. */

import { ScorelError } from "@scorel/kit/values/coded-error";
import { errors } from "./errors.ts";
import {
  type Answer,
  type Channel,
  type ClientMessage,
  type HostMessage,
  PROTOCOL,
  type Welcome,
  type WireError,
} from "./wire.ts";

/** How a client is connected. `waiting`: it will connect again at `at`, in milliseconds since 1970. */
export type LinkState =
  | { state: "connecting" }
  | { state: "live"; version: string }
  | { state: "waiting"; at: number; reason: string }
  | { state: "closed"; error?: Error | undefined };

export interface LinkOptions {
  /** Opens a new connection. Rejects if the host cannot be reached. */
  dial(): Promise<Channel> | Channel;
  /** The program's name for people, and its version. */
  name?: string | undefined;
  version: string;
  /** The token for transports that ask for one; called for each connection. */
  token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Whether to connect again when the connection is lost. Default: true. */
  reconnect?: boolean | undefined;
  /** Times in milliseconds, for tests. */
  times?: Partial<LinkTimes> | undefined;
}

export interface LinkTimes {
  /** How long connecting may take, until the host's welcome. */
  welcome: number;
  /** Silence after which the client asks for a sign of life. */
  ping: number;
  /** Silence after which the connection counts as dead. */
  dead: number;
  /** The first and the longest wait before connecting again. */
  firstRetry: number;
  lastRetry: number;
  /** A connection that lasted this long makes the next wait short again. */
  healthy: number;
}

const TIMES: LinkTimes = {
  welcome: 10_000,
  ping: 5_000,
  dead: 12_000,
  firstRetry: 250,
  lastRetry: 15_000,
  healthy: 30_000,
};

/** What the link tells its client. */
export interface LinkUser {
  /** A connection was made, the first or a later one. Messages may be sent from now on. */
  connected(welcome: Welcome): void;
  /** `characters` is the length of the message. */
  message(message: Answer, characters: number): void;
  /** Every request up to this id has been answered. */
  answered(): number;
  /** There will be no further connection. */
  ended(error: Error | undefined): void;
  state(state: LinkState): void;
}

export class Link {
  private readonly options: LinkOptions;
  private readonly user: LinkUser;
  private readonly times: LinkTimes;
  private channel: Channel | undefined;
  private welcome: Welcome | undefined;
  private retry = 0;
  private ended = false;
  private heardAt = 0;
  private liveSince = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private current: LinkState = { state: "connecting" };

  constructor(options: LinkOptions, user: LinkUser) {
    this.options = options;
    this.user = user;
    this.times = { ...TIMES, ...options.times };
  }

  get state(): LinkState {
    return this.current;
  }

  /** Connects for the first time. Rejects if that fails; later failures lead to further attempts. */
  async start(): Promise<void> {
    try {
      await this.connect();
    } catch (thrown) {
      this.finish(thrown as Error);
      throw thrown;
    }
  }

  send(message: ClientMessage): void {
    this.channel?.send(JSON.stringify(message));
  }

  /** Whether messages can be sent now. */
  get isLive(): boolean {
    return this.current.state === "live";
  }

  /** Connects now instead of at the end of the wait, as when a page becomes visible or a network returns. */
  hurry(): void {
    if (this.current.state === "live") this.checkAlive(this.times.welcome / 5);
    else if (this.current.state === "waiting") this.reconnect();
  }

  /** Closes the connection for good. */
  close(): void {
    if (this.ended) return;
    this.send({ type: "leave" });
    this.finish(undefined);
  }

  private async connect(): Promise<void> {
    this.become({ state: "connecting" });
    const [channel, token] = await Promise.all([this.options.dial(), this.options.token?.()]);
    if (this.ended) return channel.close();
    await new Promise<void>((resolve, reject) => {
      const fail = (error: Error) => {
        clearTimeout(limit);
        channel.close();
        reject(error);
      };
      const limit = setTimeout(() => fail(errors.LINK_SILENT({ ms: this.times.welcome })), this.times.welcome);
      channel.open({
        message: (text) => {
          this.heardAt = Date.now();
          if (this.channel === channel) return this.take(text);
          const first = parsed(text);
          if (first?.type === "closing") return fail(fatal(first));
          if (first?.type !== "welcome") return fail(errors.LINK_PROTOCOL({ got: text.slice(0, 80) }));
          clearTimeout(limit);
          this.begin(channel, first);
          resolve();
        },
        closed: (reason) => (this.channel === channel ? this.lost(reason) : fail(errors.LINK_CLOSED({ reason }))),
      });
      channel.send(JSON.stringify(this.hello(token)));
    });
  }

  private hello(token: string | undefined): ClientMessage {
    const { name, version } = this.options;
    const resume = this.welcome && { clientId: this.welcome.clientId, secret: this.welcome.secret };
    return { type: "hello", protocol: PROTOCOL, version, name, token, resume };
  }

  private begin(channel: Channel, welcome: Welcome): void {
    this.channel = channel;
    this.welcome = welcome;
    this.liveSince = Date.now();
    this.wait(this.times.ping, () => this.checkAlive(this.times.dead - this.times.ping));
    this.become({ state: "live", version: welcome.version });
    this.user.connected(welcome);
  }

  private take(text: string): void {
    const message = parsed(text);
    if (!message) this.finish(errors.LINK_PROTOCOL({ got: text.slice(0, 80) }));
    else if (message.type === "closing") this.dismissed(message);
    else if (message.type !== "pong" && message.type !== "welcome") this.user.message(message, text.length);
  }

  private dismissed(closing: Extract<HostMessage, { type: "closing" }>): void {
    if (closing.retry) this.lost(closing.error.message);
    else this.finish(fatal(closing));
  }

  /** Asks for a sign of life if there was silence, and gives the connection up if none comes within `limit` ms. */
  private checkAlive(limit: number): void {
    const asked = Date.now();
    if (asked - this.heardAt < this.times.ping / 2) {
      this.wait(this.times.ping, () => this.checkAlive(this.times.dead - this.times.ping));
      return;
    }
    this.send({ type: "ping", answered: this.user.answered() });
    this.wait(limit, () => {
      if (this.heardAt < asked) this.lost(`nothing was heard for ${Math.round((Date.now() - this.heardAt) / 1000)} s`);
      else this.checkAlive(limit);
    });
  }

  /** The connection is gone: connects again after a while. */
  private lost(reason = "the connection was closed"): void {
    const { channel } = this;
    if (!channel || this.ended) return;
    if (this.options.reconnect === false) {
      this.finish(errors.LINK_ENDED({ reason }));
      return;
    }
    this.channel = undefined;
    channel.close();
    if (Date.now() - this.liveSince >= this.times.healthy) this.retry = 0;
    this.later(reason);
  }

  private later(reason: string): void {
    const { firstRetry, lastRetry } = this.times;
    const longest = Math.min(lastRetry, firstRetry * 2 ** this.retry++);
    // Spread over time, so that the clients of a host that restarts do not all come at once.
    const delay = longest * (0.5 + Math.random() / 2);
    this.become({ state: "waiting", at: Date.now() + delay, reason });
    this.wait(delay, () => this.reconnect());
  }

  private reconnect(): void {
    clearTimeout(this.timer);
    this.connect().catch((thrown: Error & { fatal?: boolean }) => {
      if (this.ended) return;
      if (thrown.fatal) this.finish(thrown);
      else this.later(thrown.message);
    });
  }

  private finish(error: Error | undefined): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    const { channel } = this;
    this.channel = undefined;
    channel?.close();
    this.become({ state: "closed", error });
    this.user.ended(error);
  }

  private wait(ms: number, then: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(then, ms);
  }

  private become(state: LinkState): void {
    this.current = state;
    this.user.state(state);
  }
}

function parsed(text: string): HostMessage | undefined {
  try {
    const message = JSON.parse(text) as HostMessage;
    return typeof message?.type === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The error of a host that ends the connection. `fatal` means that connecting again does not help. */
function fatal({ error, retry }: { error: WireError; retry: boolean }): Error {
  return Object.assign(remoteError(error), { fatal: !retry });
}

/** An error of the host, as its own client would have got it. */
export function remoteError({ code, message, data = {} }: WireError): Error {
  return new ScorelError(code, message, { data });
}
