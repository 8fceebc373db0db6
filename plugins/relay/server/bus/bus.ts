import type { Bytes } from "../../protocol/primitives.ts";

/** Handles a message of the bus. `answer` replies to a request; for other messages it does nothing. */
export type Take = (message: Bytes, answer: (reply: Bytes) => void) => void;

export interface BusEvents {
  /** The bus is connected, for the first time or again. All subscriptions are in force. */
  connected(): void;
  /** The bus is lost: no messages pass. Those that were sent last may not have arrived. */
  lost(): void;
}

/**
 * Carries messages between the relays of one operator. Messages of one sender to one subject arrive in order. A relay does not receive its
 * own messages.
 */
export interface Bus {
  readonly isConnected: boolean;
  /** Whether so much waits to be sent that nothing should be added. */
  readonly isFull: boolean;
  /** Starts to connect, and returns at once; `connected` is called later. */
  start(events: BusEvents): void;
  /** Sends a message to all subscribers of a subject. Returns false while the bus is lost; the message is then dropped. */
  publish(subject: string, message: Bytes): boolean;
  /**
   * Returns the first answer to a request; undefined if the subject has no subscribers. Throws Unavailable while the bus is lost, and if no
   * answer comes in time.
   */
  request(subject: string, message: Bytes, limitMs: number): Promise<Bytes | undefined>;
  /** Subscribes to a subject; the subscription outlasts a loss of the bus. Returns a function that ends it. */
  subscribe(subject: string, take: Take): () => void;
  /**
   * Resolves when all subscriptions are in force at this relay's server, or the bus is lost. Other servers of the bus may need a moment
   * longer.
   */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Another relay or the bus cannot be reached: the message was not delivered. */
export class Unavailable extends Error {}
