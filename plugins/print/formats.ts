import type { TurnOutcome } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import type { Delivered } from "@scorel/host/contract";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";

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
  /** Why the turn failed, which limit ended it, or how the answer misses its schema. */
  error?: { code: string; message: string };
  /** The answer as the value that `--output-schema` asked for. */
  data?: unknown;
}
/** How a run ended. */
export interface Printed {
  outcome: TurnOutcome;
  /** What was asked for and not reached, though no turn failed. */
  failure?: { code: string; message: string };
  /** When it is not the turn's own. */
  exitCode?: number;
  /** The answer's value, when a schema was given and it fits. */
  data?: unknown;
}
/** How one turn is printed on stdout. */
export interface Format {
  /** Its answer is waited for before the next event is heard. */
  hear?(delivered: Delivered): Promise<void> | undefined;
  finish(sessionId: string | null, printed: Printed): Promise<void>;
  /** Resolves when everything that was heard has been written. */
  written?(): Promise<void>;
  readonly output: Output;
}

/** Makes the format that `--output` names. */
export function createFormat(name: unknown, { stdout }: Invocation): Format {
  const output = createOutput(stdout);
  if (name === "json")
    return { output, finish: (sessionId, printed) => output.write(`${asJson(sessionId, printed)}\n`) };
  if (name === "events") {
    const lines = createLines(output);
    return {
      output,
      hear: ({ event }) => lines.add(JSON.stringify(event)),
      finish: lines.written,
      written: lines.written,
    };
  }
  const shown = stdout.isTTY ? plainText : (text: string) => text;
  return {
    output,
    finish: async (_, printed) => {
      const text = asText(printed);
      if (text !== "") await output.write(`${shown(text)}\n`);
    },
  };
}

/** So much is kept until it is written; whoever adds more waits. */
const MOST_PENDING = 2 ** 16;

/** Lines that come in one turn of the event loop are written together. */
function createLines(output: Output): { add(line: string): Promise<void> | undefined; written(): Promise<void> } {
  let pending = "";
  let writing: Promise<void> | undefined;
  const write = async () => {
    while (pending !== "") {
      // Behind all promises that are settled by now, which is when the lines of this turn are there.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const text = pending;
      pending = "";
      await output.write(text);
    }
    writing = undefined;
  };
  return {
    add(line) {
      pending += `${line}\n`;
      writing ??= write();
      return pending.length > MOST_PENDING ? writing : undefined;
    },
    written: async () => {
      await writing;
    },
  };
}

/** An answer that misses its schema is none: a program that reads stdout must not take it for one. */
function asText({ outcome, data, exitCode }: Printed): string {
  if (data !== undefined) return JSON.stringify(data);
  return exitCode === undefined ? outcome.text : "";
}

/** A turn that never began, as an outcome. */
export function outcomeOfError(error: { code: string; message: string }): TurnOutcome {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
  return { reason: "error", error, text: "", stopReason: "error", usage, durationMs: 0, leafId: null };
}

function asJson(sessionId: string | null, { outcome, failure = outcome.error, data }: Printed): string {
  const { text, stopReason, usage, durationMs, leafId } = outcome;
  const turn: PrintedTurn = { sessionId, text, stopReason, usage, cost: usage.cost.total, durationMs, leafId };
  const error = failure && { code: failure.code, message: failure.message };
  return JSON.stringify({ ...turn, ...(error && { error }), ...(data !== undefined && { data }) });
}
