import type { Bytes } from "../../protocol/primitives.ts";

/** Takes a message of the bus. `answer` replies to a request; for other messages it does nothing. */
export type Take = (message: Bytes, answer: (reply: Bytes) => void) => void;

export interface BusEvents {
  /** The bus can be used: for the first time, or again. All subscriptions are in force. */
  connected(): void;
  /** Nothing passes any more. What was sent last may not have arrived. */
  lost(): void;
}

/**
 * What relays of one operator tell each other over. Messages of one sender to one subject arrive in the order in which they were sent.
 * A relay does not hear what it sends itself.
 */
export interface Bus {
  readonly isConnected: boolean;
  /** So much waits to be sent that nothing should be added. */
  readonly isFull: boolean;
  /** Begins to connect. Returns before it is done; `connected` is called then. */
  start(events: BusEvents): void;
  /** Tells all subscribers of a subject. False while the bus is lost: then nothing is sent, now or later. */
  publish(subject: string, message: Bytes): boolean;
  /** The first answer to a request; undefined if nobody subscribes to the subject. Throws Unavailable, also when no answer comes in time. */
  request(subject: string, message: Bytes, limitMs: number): Promise<Bytes | undefined>;
  /** Takes the messages of a subject, also after the bus was lost and came back. Returns what ends it. */
  subscribe(subject: string, take: Take): () => void;
  /** Resolves when what was subscribed to reaches this relay, or the bus is lost. Relays at other servers of a bus may need a moment more. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A part of the relay cannot be reached: what was to be sent was not delivered. */
export class Unavailable extends Error {}
