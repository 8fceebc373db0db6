import { constants } from "node:os";
import { messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { exitProcess } from "./own-process.ts";

/** How the process reacts to signals while a command runs. */
export interface Signals {
  /** Aborted by the first Ctrl-C; a second one ends the process with 130. */
  readonly interrupt: AbortSignal;
  /** What to exit with when a signal asked the process to end. */
  readonly code: number | undefined;
  /** What has to be stopped before the process may end. */
  onStop(stop: () => Promise<void>): void;
  /** Runs it, once. */
  stop(): Promise<void>;
  /** Who is asked first about an error that nobody caught. */
  onUncaught(take: TakeUncaught): void;
}

/** Answers whether it has dealt with an error that nobody caught; `where` is the kind of place that it came from. */
export type TakeUncaught = (where: string, thrown: unknown) => boolean;

/** Listens to SIGINT, SIGTERM, SIGHUP, SIGQUIT, a closed output, and errors that nobody caught. */
export function createSignals(): Signals {
  const interrupt = new AbortController();
  let stopping: Promise<void> | undefined;
  let stopAll: () => Promise<void> = async () => {};
  let code: number | undefined;
  let take: TakeUncaught = () => false;
  const stop = () => {
    stopping ??= inTime(stopAll());
    return stopping;
  };
  process.on("SIGINT", () => {
    if (interrupt.signal.aborted) exitProcess(130);
    interrupt.abort();
  });
  for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT"] as const)
    process.on(signal, () => {
      const status = 128 + constants.signals[signal];
      // Of one terminal that closes both the shell and the system tell: only who asks to end again is impatient.
      if (code === status && signal === "SIGTERM") exitProcess(status);
      if (code !== undefined) return;
      code = status;
      stop().finally(() => exitProcess(status));
    });
  process.on("uncaughtException", (error) => {
    if (take("a timer or callback", error)) return;
    // A throw of our own: nobody can tell what it left half done, so the process ends, but in order.
    const { code, message } = errors.PROCESS_UNEXPECTED({ reason: messageOf(error) });
    process.stderr.write(`scorel: ${code}: ${message}\n${error?.stack ?? ""}\n`);
    stop().finally(() => exitProcess(1));
  });
  stopWhenUnread(interrupt);
  endWhenStuck(interrupt.signal);
  nameRejections((where, thrown) => take(where, thrown));
  return {
    interrupt: interrupt.signal,
    get code() {
      return code;
    },
    onStop: (all) => {
      stopAll = all;
    },
    stop,
    onUncaught: (first) => {
      take = first;
    },
  };
}

/** Milliseconds that plugins may take to stop. What is written to a log by then is safe without them. */
const stopLimit = 10_000;

/** Waits for plugins to stop, but not for one that never does. */
async function inTime(stopping: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      process.stderr.write(`scorel: a plugin did not stop within ${stopLimit / 1000} s; ending without it\n`);
      resolve();
    }, stopLimit);
  });
  await Promise.race([stopping, late]);
  clearTimeout(timer);
}

/**
 * Nobody reads any more (`scorel ... | head -1`), or the disk under stdout is full: commands are told as by Ctrl-C, and
 * those whose work is worth more than its output go on. A throw here would end all sessions of the process.
 */
function stopWhenUnread(interrupt: AbortController): void {
  process.stdout.on("error", () => interrupt.abort());
  // Nobody hears complaints any more; one about that would be the next to fail, without end.
  process.stderr.on("error", () => {});
}

/** Nothing is left that could ever go on, and the command has not ended: a plugin waits for what never comes. */
function endWhenStuck(interrupt: AbortSignal): void {
  process.on("beforeExit", () => {
    process.stderr.write("scorel: a plugin waits for something that never comes; ending without it\n");
    exitProcess(interrupt.aborted ? 130 : 1);
  });
}

/** A promise that some plugin dropped harms no session: it is named, and the rest goes on. */
function nameRejections(take: TakeUncaught): void {
  process.on("unhandledRejection", (reason) => {
    if (take("a promise that nobody awaits", reason)) return;
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    process.stderr.write(`scorel: a plugin dropped a failed promise: ${text}\n`);
  });
}
