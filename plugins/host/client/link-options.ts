import type { LinkState } from "../contract.ts";
import type { Answer, Channel, Welcome } from "./wire.ts";

export type { LinkState } from "../contract.ts";

/** How to connect to a host, and whether to reconnect. */
export interface LinkOptions {
  /** Opens a new connection. Rejects if the host cannot be reached. */
  dial(): Promise<Channel> | Channel;
  /** The host's address, for error messages. */
  address?: string | undefined;
  /** The command that starts the host again after it has stopped, if it runs on this computer. */
  startedBy?: string | undefined;
  /** The program's name for people, and its version. */
  name?: string | undefined;
  version: string;
  /** Returns the token for transports that require one. Called for each connection. */
  token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Whether to connect again when the connection is lost. Default: true. */
  reconnect?: boolean | undefined;
  /**
   * Whether `connectHost` resolves at once and retries the first connection like later ones. Requests made in the meantime wait. Default:
   * false; `connectHost` then rejects if the first connection fails.
   */
  patient?: boolean | undefined;
  /** Times in milliseconds, for tests. */
  times?: Partial<LinkTimes> | undefined;
}

/** Time limits and intervals of a connection, in milliseconds. */
export interface LinkTimes {
  /** Time limit for connecting, until the host's `welcome` arrives. */
  welcome: number;
  /**
   * Time limits for requests that the host can answer at once (`answer`), and for those that open sessions (`opening`), while connected.
   */
  answer: number;
  opening: number;
  /** Time between two pings. */
  ping: number;
  /** Time without any message after which the connection counts as dead. */
  dead: number;
  /** The first and the longest wait before reconnecting. */
  firstRetry: number;
  lastRetry: number;
  /** After a connection that lasted this long, the next wait is short again. */
  healthy: number;
}

/** The default times. */
export const TIMES: LinkTimes = {
  welcome: 10_000,
  answer: 60_000,
  opening: 120_000,
  ping: 3_000,
  dead: 12_000,
  firstRetry: 250,
  lastRetry: 15_000,
  healthy: 30_000,
};

/** The callbacks through which a link informs its client. */
export interface LinkUser {
  /** A connection was established, the first or a later one. From then on, messages can be sent. */
  connected(welcome: Welcome): void;
  /** A message has arrived; `characters` is its length. Returns false if no host would send it at this point. */
  message(message: Answer, characters: number): boolean;
  /** The id up to which every request has been answered. */
  answered(): number;
  /** The link has ended and will not reconnect. */
  ended(error: Error | undefined): void;
  state(state: LinkState): void;
}
