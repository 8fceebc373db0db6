import { callExecutor, type Executor } from "@scorel/kit/executor/call";
import type { ProcessEnd, ProcessesService, ProcessRequest, RunningProcess } from "@scorel/local/contract";
import { checkedOutput } from "./output.ts";

/** Milliseconds for killing a command: half a second for SIGTERM, ten seconds for SIGKILL, and some reserve. */
const KILL_MS = 12_000;
/** Milliseconds until the executor must report the end of a command that was killed. */
const END_MS = 2_000;

export interface StartOptions {
  limitMs: number;
  signal?: AbortSignal | undefined;
}
/** A running command whose methods have time limits, and whose errors name the executor's plugin. */
export interface Started extends RunningProcess {
  kill(limitMs?: number): Promise<void>;
  /** Like `ended`, with a time limit. */
  endedSoon(): Promise<ProcessEnd>;
}
/** The service `processes` as tools use it. */
export interface Processes {
  readonly local: boolean;
  /** Starts a command. A command that starts only after the limit or an abort is killed. */
  start(request: ProcessRequest, options: StartOptions): Promise<Started>;
}

/**
 * Wraps the service `processes`. Its calls throw EXECUTOR errors when they exceed their limit or return something
 * unusable.
 */
export function checkedProcesses(processes: ProcessesService, executor: Executor): Processes {
  return {
    local: processes.local === true,
    start: (request, { limitMs, signal }) => {
      const output = checkedOutput(request.onOutput);
      return callExecutor(executor, { method: "start", limitMs, signal, check: checkRunning }, async (signal) => {
        const running = await processes.start({ ...request, onOutput: output.take });
        const isProper = checkRunning(running) === undefined;
        if (isProper && signal.aborted) running.kill().catch(() => {}); // The caller already got an error, so nobody else would kill it.
        return isProper ? checked(running, executor, output.check) : (running as Started);
      });
    },
  };
}

function checked(running: RunningProcess, executor: Executor, checkOutput: () => string | undefined): Started {
  const check = (end: unknown) => checkEnd(end) ?? checkOutput();
  const method = "start().ended";
  const ended = running.ended.then((end) => callExecutor(executor, { method, limitMs: END_MS, check }, () => end));
  ended.catch(() => {}); // Prevents an unhandled rejection; callers that wait for `ended` still get it.
  return {
    ended,
    endedSoon: () => callExecutor(executor, { method, limitMs: END_MS }, () => ended),
    kill: (limitMs = KILL_MS) => callExecutor(executor, { method: "start().kill", limitMs }, () => running.kill()),
    pause: () => running.pause(),
    resume: () => running.resume(),
  };
}

function checkRunning(running: unknown): string | undefined {
  const { ended, kill, pause, resume } = (running ?? {}) as Partial<RunningProcess>;
  const isRunning = [kill, pause, resume, ended?.then].every((member) => typeof member === "function");
  return isRunning ? undefined : "an object with the promise ended and the functions kill, pause and resume";
}

function checkEnd(end: unknown): string | undefined {
  const { exitCode, signal, leftOpen } = (end ?? {}) as Partial<ProcessEnd>;
  const isEnd =
    (exitCode === null || Number.isSafeInteger(exitCode)) &&
    (signal === null || typeof signal === "string") &&
    typeof leftOpen === "boolean";
  return isEnd ? undefined : "an object with exitCode, signal and leftOpen";
}
