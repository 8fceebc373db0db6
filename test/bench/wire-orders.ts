/** An order from the host side of the wire rows to the process with the clients. */
export type Order =
  | { do: "connect"; url: string; count: number; sessionId?: string | undefined }
  | { do: "hear"; count: number }
  | { do: "behind"; url: string; count: number; sessionId?: string; options?: object }
  | { do: "close" };

export interface Report {
  /** When the last client received its last event. */
  at?: number;
  ms?: number;
  late?: Spread;
}

export interface Spread {
  p50: number;
  p99: number;
}

/** Milliseconds of a clock that all processes of a computer share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
