import { Worker } from "node:worker_threads";
import { extensionFiles } from "./owners.ts";
import { openSessions, runningCalls } from "./running.ts";

/** Milliseconds between two signs of life. */
const BEAT_MS = 500;

/** What the process around extensions gives. */
export interface Surroundings {
  /** The folder of the sessions' logs. */
  sessions: string;
  /** Ends the process, whatever extensions have registered for its end. */
  exit(code: number): never;
}

/**
 * Starts a thread that names the extension whose code lets this one do nothing else. It cannot end that code alone: it ends
 * the process when that was asked for, as no signal handler runs here meanwhile.
 */
export function startWatchdog({ sessions, exit }: Surroundings): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  // What the thread calls while this one is held by a debugger's pause.
  Object.defineProperty(globalThis, Symbol.for("scorel.watchdog"), {
    value: Object.freeze({
      activity: () => JSON.stringify({ running: runningCalls(), sessions: openSessions(), files: extensionFiles() }),
      exit,
    }),
  });
  const worker = new Worker(new URL("../containment/watchdog-thread.js", import.meta.url), {
    workerData: { beats, beatMs: BEAT_MS, sessions, pid: process.pid },
    execArgv: [],
    env: {},
  });
  worker.unref();
  // What a person typed in vain reaches the prompt when this thread goes on.
  worker.on("message", (typed: Uint8Array) => process.stdin.unshift(typed));
  // An ornament: without it nothing but the name of a hanging extension is lost.
  worker.on("error", (thrown: Error) => process.stderr.write(`scorel: nobody watches extensions: ${thrown.message}\n`));
}
