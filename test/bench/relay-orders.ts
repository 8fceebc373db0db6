/** What the processes of the relay rows say to each other. */

export type Role = "relay" | "bare" | "host" | "idle";

/** What a process is asked. Each question has one answer. */
export type Order =
  /** A relay or a bare server: the microseconds of processor time and the bytes of memory until now, after collecting garbage. */
  | { do: "cost" }
  /** A host: connects with a relay, or accepts direct connections. */
  | { do: "serve"; relay?: string; client?: string }
  /** A host: sends so many events to each client, so many a second. */
  | { do: "pace"; count: number; rate: number }
  /** Connections that say who they are and then nothing; without `isRelay`, they only connect. */
  | { do: "hold"; url: string; count: number; isRelay: boolean }
  | { do: "drop" };

export interface Answer {
  url?: string;
  cpu?: number;
  memory?: number;
  /** Of a host: its public keys and, for a client, its grant, in base64. */
  keys?: string;
  grant?: string;
}

/** Bytes of an event with a delta of a reply, as the host sends it to its clients. */
export const EVENT_BYTES = 326;

/** An event that tells when it was sent. */
export function eventAt(at: number): string {
  const empty = JSON.stringify({ at, text: "" });
  return `${empty.slice(0, -2)}${"x".repeat(EVENT_BYTES - empty.length)}"}`;
}
