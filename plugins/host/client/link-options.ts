import type { LinkState } from "../contract.ts";
import type { Answer, Channel, Welcome } from "./wire.ts";

export type { LinkState } from "../contract.ts";

export interface LinkOptions {
  /** Opens a new connection. Rejects if the host cannot be reached. */
  dial(): Promise<Channel> | Channel;
  /** Where the host is, as errors name it. */
  address?: string | undefined;
  /** The command that starts the host again when it is gone, if it runs on this computer. */
  startedBy?: string | undefined;
  /** The program's name for people, and its version. */
  name?: string | undefined;
  version: string;
  /** The token for transports that ask for one; called for each connection. */
  token?: (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Whether to connect again when the connection is lost. Default: true. */
  reconnect?: boolean | undefined;
  /**
   * Whether the client is there at once, and tries the first connection as long as later ones, so that what it was asked meanwhile
   * waits. Default: false; `connectHost` then rejects if the first connection fails.
   */
  patient?: boolean | undefined;
  /** Times in milliseconds, for tests. */
  times?: Partial<LinkTimes> | undefined;
}

export interface LinkTimes {
  /** How long connecting may take, until the host's welcome. */
  welcome: number;
  /** How long the host may take to answer requests that it can answer at once, and those that open sessions, while it is connected. */
  answer: number;
  opening: number;
  /** Time between two signs of life. */
  ping: number;
  /** Silence after which the connection counts as dead. */
  dead: number;
  /** The first and the longest wait before connecting again. */
  firstRetry: number;
  lastRetry: number;
  /** A connection that lasted this long makes the next wait short again. */
  healthy: number;
}

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

/** What the link tells its client. */
export interface LinkUser {
  /** A connection was made, the first or a later one. Messages may be sent from now on. */
  connected(welcome: Welcome): void;
  /** `characters` is the length of the message. Returns false for one that a host does not send at this point. */
  message(message: Answer, characters: number): boolean;
  /** Every request up to this id has been answered. */
  answered(): number;
  /** There will be no further connection. */
  ended(error: Error | undefined): void;
  state(state: LinkState): void;
}
