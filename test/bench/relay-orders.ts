/** Messages between the process of the relay rows and its helper processes. */

export type Role = "relay" | "bare" | "host" | "idle";

/** An order to a helper process. Each order gets one answer. */
export type Order =
  /**
   * For a relay or a bare server: returns microseconds of processor time so far, and bytes of memory after a garbage
   * collection.
   */
  | { do: "cost" }
  /** For a host: connects to a relay, or accepts direct connections. */
  | { do: "serve"; relay?: string; client?: string }
  /** For a host: sends `count` events to each client, `rate` a second. */
  | { do: "pace"; count: number; rate: number }
  /** Opens connections that send nothing after identifying themselves; without `isRelay`, they only connect. */
  | { do: "hold"; url: string; count: number; isRelay: boolean }
  | { do: "drop" };

export interface Answer {
  url?: string;
  cpu?: number;
  memory?: number;
  /** Of a host: its public keys, and its grant for the client, in base64. */
  keys?: string;
  grant?: string;
}

/** Bytes of an event with a delta of a reply, in the form in which the host sends it to clients. */
export const EVENT_BYTES = 326;

/** An event of that size with the time at which it was sent. */
export function eventAt(at: number): string {
  const empty = JSON.stringify({ at, text: "" });
  return `${empty.slice(0, -2)}${"x".repeat(EVENT_BYTES - empty.length)}"}`;
}
