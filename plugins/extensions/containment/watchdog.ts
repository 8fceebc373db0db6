import { Worker } from "node:worker_threads";
import { extensionFiles } from "./owners.ts";
import { openSessions, runningCalls } from "./running.ts";

/** Milliseconds between two beats, which show that the main thread is alive. */
const BEAT_MS = 500;

/** Values that the composition of the process passes in. */
export interface Surroundings {
  /** The folder of the sessions' logs. */
  sessions: string;
  /** Ends the process without the exit listeners of extensions. */
  exit(code: number): never;
}

/**
 * Starts a thread that reports the extension whose code blocks the main thread. It cannot stop that code alone. When the
 * process gets a signal to end, which the blocked thread cannot handle, the watchdog ends it.
 */
export function startWatchdog({ sessions, exit }: Surroundings): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  // Called by the watchdog thread while it pauses this one as a debugger.
  Object.defineProperty(globalThis, Symbol.for("scorel.watchdog"), {
    value: Object.freeze({
      activity: () => JSON.stringify({ running: runningCalls(), sessions: openSessions(), files: extensionFiles() }),
      exit,
    }),
  });
  const worker = new Worker(new URL("../containment/watchdog-thread.js", import.meta.url), {
    workerData: { beats, beatMs: BEAT_MS, sessions, pid: process.pid },
    // Gives only this thread access to the signals of the process.
    execArgv: ["--expose-internals", "--no-warnings"],
    env: {},
  });
  worker.unref();
  // Keys typed while this thread was blocked go to the prompt.
  worker.on("message", (typed: Uint8Array) => process.stdin.unshift(typed));
  // Without the watchdog, only the report about a blocking extension is missing.
  worker.on("error", (thrown: Error) => process.stderr.write(`scorel: nobody watches extensions: ${thrown.message}\n`));
}
