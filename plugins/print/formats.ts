import type { TurnOutcome } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import { createOutput, type Output, plainText } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";

/** What `--output json` prints: one object, also when nothing could be started. */
export interface PrintedTurn {
  sessionId: string | null;
  text: string;
  stopReason: string;
  usage: TurnOutcome["usage"];
  /** US dollars. */
  cost: number;
  durationMs: number;
  leafId: string | null;
  error?: { code: string; message: string };
}
/** How one turn is printed on stdout. */
export interface Format {
  hear?(delivered: Delivered): Promise<void>;
  finish(sessionId: string | null, outcome: TurnOutcome): Promise<void>;
  readonly output: Output;
}

/** Makes the format that `--output` names. */
export function createFormat(name: unknown, { stdout }: Invocation): Format {
  const output = createOutput(stdout);
  if (name === "json")
    return { output, finish: (sessionId, outcome) => output.write(`${asJson(sessionId, outcome)}\n`) };
  if (name === "events")
    return { output, hear: ({ event }) => output.write(`${JSON.stringify(event)}\n`), finish: async () => {} };
  const shown = stdout.isTTY ? plainText : (text: string) => text;
  return { output, finish: async (_, { text }) => (text === "" ? undefined : output.write(`${shown(text)}\n`)) };
}

/** A turn that never began, as an outcome. */
export function outcomeOfError(error: { code: string; message: string }): TurnOutcome {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
  return { reason: "error", error, text: "", stopReason: "error", usage, durationMs: 0, leafId: null };
}

function asJson(sessionId: string | null, outcome: TurnOutcome): string {
  const { text, stopReason, usage, durationMs, leafId, error } = outcome;
  const turn: PrintedTurn = { sessionId, text, stopReason, usage, cost: usage.cost.total, durationMs, leafId };
  return JSON.stringify(error ? { ...turn, error } : turn);
}
