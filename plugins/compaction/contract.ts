export type { Compacted } from "@scorel/host/contract";

declare module "@scorel/kernel" {
  interface Transients {
    /** A summary is being written; `tokens` of the `window` are in use. */
    compaction_start: { reason: "threshold" | "overflow" | "manual"; tokens: number; window: number };
    /** The compaction has ended, with a `compact` event in the log or an unchanged conversation. */
    compaction_end: { compacted: boolean; cancelled: boolean; note?: string };
  }
}
