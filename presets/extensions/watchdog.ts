import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { openSessions, runningActivities, watchActivity } from "@scorel/kernel";
import { userDir } from "../paths.ts";
import { exitProcess } from "../start/own-process.ts";
import { extensionFiles } from "./owners.ts";

/** Milliseconds between two signs of life. */
const BEAT_MS = 500;

/**
 * Starts a thread that names the extension whose code lets this one do nothing else. It cannot end that code alone: it ends
 * the process when that was asked for, as no signal handler runs here meanwhile.
 */
export function startWatchdog(): void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  watchActivity();
  // What the thread calls while this one is held by a debugger's pause.
  Object.defineProperty(globalThis, Symbol.for("scorel.watchdog"), {
    value: Object.freeze({
      activity: () =>
        JSON.stringify({ running: runningActivities(), sessions: openSessions(), files: extensionFiles() }),
      exit: exitProcess,
    }),
  });
  const worker = new Worker(new URL("../extensions/watchdog-thread.js", import.meta.url), {
    workerData: { beats, beatMs: BEAT_MS, sessions: join(userDir(), "sessions"), pid: process.pid },
    execArgv: [],
    env: {},
  });
  worker.unref();
  // What a person typed in vain reaches the prompt when this thread goes on.
  worker.on("message", (typed: Uint8Array) => process.stdin.unshift(typed));
  // An ornament: without it nothing but the name of a hanging extension is lost.
  worker.on("error", (thrown: Error) => process.stderr.write(`scorel: nobody watches extensions: ${thrown.message}\n`));
}
