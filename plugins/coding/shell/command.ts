import { codeOf, messageOf } from "@scorel/kernel";
import { shellFor } from "@scorel/kit/process/shell";
import type { ProcessEnd, ProcessRequest } from "@scorel/local/contract";
import { errors } from "../errors.ts";
import type { Processes, Started } from "../executor/processes.ts";
import type { Confine } from "./confinement.ts";

/** Milliseconds for starting a command: the command's own time limit, kept within these bounds. */
const START_MS = { least: 5_000, most: 60_000 };

export interface Command {
  command: string;
  cwd: string;
  env: Record<string, string>;
  /** Wraps the command in the sandbox; unset means no sandbox. */
  confine?: Confine | undefined;
  /** Milliseconds; unset means no limit. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Receives stdout and stderr, in order of arrival. */
  onText(text: string): void;
  /** Called when the command has started. */
  onStart?(started: Paused): void;
  /**
   * Whether processes that the command leaves behind belong to it; the function that kills it then stays in `running`.
   */
  background?: boolean;
}
/** Pauses and resumes the command's output. The command blocks when it writes to paused output. */
export type Paused = Pick<Started, "pause" | "resume">;
export interface Ended extends ProcessEnd {
  /** Set when the command did not end by itself: Scorel killed it, or its end is unknown. */
  ended?: "timeout" | "cancelled" | "lost";
  /** Why the end is unknown. */
  reason?: string;
  /** Why the command may still run after an attempt to kill it. */
  unkilled?: string;
}

/** Kills a command and everything it started. Rejects when that fails or takes longer than the limit. */
export type End = (limitMs?: number) => Promise<void>;

/** Runs a command. While it runs, `running` contains a function that kills it. Throws BASH_SPAWN when it cannot be started. */
export async function runCommand(options: Command, processes: Processes, running: Set<End>): Promise<Ended> {
  const confined = await options.confine?.(shellFor(options.command), options.cwd, options.env);
  try {
    options.signal?.throwIfAborted();
    const { command, cwd, env } = confined
      ? { command: [confined.file, ...confined.args] as const, cwd: "/", env: confined.env }
      : options;
    return await run({ command, cwd, env }, options, processes, running);
  } finally {
    await confined?.release();
  }
}

type Program = Pick<ProcessRequest, "command" | "cwd" | "env">;

async function run(program: Program, options: Command, processes: Processes, running: Set<End>): Promise<Ended> {
  const { onText, background = false } = options;
  // Decodes output across chunks, so that a split character stays intact.
  const decoder = new TextDecoder();
  let isOver = false;
  const onOutput = (chunk: Uint8Array) => {
    // After its end was assumed, a command may still send output.
    if (!isOver) onText(decoder.decode(chunk, { stream: true }));
  };
  const started = await start(processes, { ...program, background, onOutput }, options);
  const end: End = (limitMs) => started.kill(limitMs);
  running.add(end);
  options.onStart?.(started);
  const ended = await watch(started, options);
  isOver = true;
  onText(decoder.decode());
  if (!background || ended.ended) running.delete(end);
  return ended;
}

async function start(processes: Processes, request: ProcessRequest, options: Command): Promise<Started> {
  const { timeoutMs = START_MS.most, signal } = options;
  const limitMs = Math.min(Math.max(timeoutMs, START_MS.least), START_MS.most);
  try {
    return await processes.start(request, { limitMs, signal });
  } catch (thrown) {
    if (signal?.aborted || codeOf(thrown).startsWith("EXECUTOR_")) throw thrown;
    throw errors.BASH_SPAWN({ reason: messageOf(thrown) }, { cause: thrown });
  }
}

async function watch(started: Started, options: Command): Promise<Ended> {
  const lost = (thrown: unknown): Ended => ({ ...NO_END, ended: "lost", reason: messageOf(thrown) });
  const ended = started.ended.catch(lost);
  const stop = await firstOf(ended, options);
  if (!stop) return await ended;
  return { ...(await killed(started)), ended: stop };
}

const NO_END: ProcessEnd = { exitCode: null, signal: null, leftOpen: false };

async function killed(started: Started): Promise<Ended> {
  try {
    await started.kill();
    return await started.endedSoon();
  } catch (thrown) {
    return { ...NO_END, unkilled: messageOf(thrown) };
  }
}

/** Waits for the command's end (undefined), its time limit or a cancellation, whichever is first. */
function firstOf(
  exited: Promise<unknown>,
  { timeoutMs, signal }: Command,
): Promise<"timeout" | "cancelled" | undefined> {
  return new Promise((resolve) => {
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => done("timeout"), timeoutMs);
    const onAbort = () => done("cancelled");
    const done = (reason: "timeout" | "cancelled" | undefined) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(reason);
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    void exited.then(() => done(undefined));
  });
}
