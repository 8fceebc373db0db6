import type { TurnOutcome } from "@scorel/agent/contract";
import type { Invocation } from "@scorel/cli/contract";
import type { Delivered } from "@scorel/host/contract";
import { isEvent, type Transients } from "@scorel/kernel";
import { isPriced, noUsage, soundUsage, usageIn } from "@scorel/kit/session/usage";
import { createOutput, type Output } from "@scorel/kit/terminal/output";
import { plainText } from "@scorel/kit/text/plain";
import type {} from "@scorel/permissions/contract";

/** Output of `--output json`: one object, even when no turn could start. */
export interface PrintedTurn {
  sessionId: string | null;
  text: string;
  stopReason: string;
  usage: TurnOutcome["usage"];
  /** US dollars; without the calls that `unpriced` counts. */
  cost: number;
  /** Number of model calls whose price is not known, if there are any. */
  unpriced?: number;
  durationMs: number;
  leafId: string | null;
  /** Why the turn failed, which limit ended it, or how the answer violates its schema. */
  error?: { code: string; message: string };
  /** The answer's value, with `--output-schema`. */
  data?: unknown;
  /** The tool calls that were denied because nobody could be asked, if there are any. */
  denied?: Denied[];
  /** How often an older part of the conversation was replaced by a summary, if it was. */
  compactions?: number;
}
type Denied = Pick<Transients["permission_denied"], "tool" | "what" | "why">;
/** Result of a run. */
export interface Printed {
  outcome: TurnOutcome;
  /** A goal that was missed although no turn failed. */
  failure?: { code: string; message: string };
  /** Exit code, if it differs from the turn's own. */
  exitCode?: number;
  /** The answer's value, if a schema was given and it fits. */
  data?: unknown;
  /** Whether the reason of the failure was printed on stderr already. */
  isSaid?: boolean;
}
/** Prints one turn on stdout. */
export interface Format {
  /** Handles an event. A returned promise is awaited before the next event. */
  hear?(delivered: Delivered): Promise<void> | undefined;
  finish(sessionId: string | null, printed: Printed): Promise<void>;
  /** Resolves when everything has been written. */
  written?(): Promise<void>;
  readonly output: Output;
}

/** Creates the format for `--output`. */
export function createFormat(name: unknown, { stdout, options }: Invocation): Format {
  const output = createOutput(stdout);
  if (name === "json") {
    const heard: Heard = { unpriced: 0, denied: [], compactions: 0 };
    let isPrinted = false;
    return {
      output,
      hear: ({ event }) => void note(event, heard),
      // An error after the turn, as when the session cannot be closed, is not a second result.
      finish: async (sessionId, printed) => {
        if (isPrinted) return;
        isPrinted = true;
        await output.write(`${asJson(sessionId, printed, heard)}\n`);
      },
    };
  }
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
      const text = asText(printed, options.outputSchema !== undefined);
      if (text !== "") await output.write(`${shown(text)}\n`);
    },
  };
}

/** Maximum pending characters; beyond it, `add` returns a promise to wait for. */
const MOST_PENDING = 2 ** 16;

/** Creates a writer that joins lines of the same event-loop turn into one write. */
function createLines(output: Output): { add(line: string): Promise<void> | undefined; written(): Promise<void> } {
  let pending = "";
  let writing: Promise<void> | undefined;
  const write = async () => {
    while (pending !== "") {
      // Runs after all settled promises, when the lines of this turn have arrived.
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

/**
 * Returns the text to print, which is partial if the turn was ended early. With a schema, only a value that matches it is printed, so that
 * programs use nothing else.
 */
function asText({ outcome, data }: Printed, hasSchema: boolean): string {
  if (data !== undefined) return JSON.stringify(data);
  return hasSchema ? "" : outcome.text;
}

/** Returns the outcome of a turn that never started. */
export function outcomeOfError(error: { code: string; message: string }): TurnOutcome {
  return { ...outcomeOf(""), reason: "error", error, stopReason: "error" };
}

/** Returns the outcome for text that no model has written, such as the output of a command. */
export function outcomeOf(text: string): TurnOutcome {
  return { reason: "completed", text, stopReason: "stop", usage: noUsage(), durationMs: 0, leafId: null };
}

/** Facts for the printed object that are collected from events, since the outcome of a turn does not have them. */
interface Heard {
  unpriced: number;
  denied: Denied[];
  compactions: number;
}

function note(event: Delivered["event"], heard: Heard): void {
  if (isEvent(event, "permission_denied")) {
    const { tool, what, why } = event;
    heard.denied.push({ tool, what, why });
  }
  if (isEvent(event, "compact")) heard.compactions++;
  const used = usageIn(event)?.usage;
  if (used && !isPriced(soundUsage(used))) heard.unpriced++;
}

function asJson(
  sessionId: string | null,
  { outcome, failure = outcome.error, data }: Printed,
  { unpriced, denied, compactions }: Heard,
): string {
  const { text, stopReason, usage, durationMs, leafId } = outcome;
  const turn: PrintedTurn = { sessionId, text, stopReason, usage, cost: usage.cost.total, durationMs, leafId };
  const error = failure && { code: failure.code, message: failure.message };
  return JSON.stringify({
    ...turn,
    ...(unpriced > 0 && { unpriced }),
    ...(error && { error }),
    ...(data !== undefined && { data }),
    ...(denied.length > 0 && { denied }),
    ...(compactions > 0 && { compactions }),
  });
}
