import { constants } from "node:os";
import { messageOf } from "@scorel/kernel";
import { errors } from "../errors.ts";
import { exitProcess } from "./own-process.ts";

/** How the process reacts to signals while a command runs. */
export interface Signals {
  /** Aborts on the first signal that ends a process, such as Ctrl-C; a second one ends the process with exit code 130. */
  readonly interrupt: AbortSignal;
  /** The exit code, once a signal has asked the process to end. */
  readonly code: number | undefined;
  /** Sets a function that stops everything before the process ends. `before` is called first, and has no time limit. */
  onStop(stop: () => Promise<void>, before?: () => Promise<void>): void;
  /** Calls the function of `onStop`, once. */
  stop(): Promise<void>;
  /** Sets a function that may handle an uncaught error. */
  onUncaught(take: TakeUncaught): void;
}

/** Handles an uncaught error if it can, and returns whether it did. `where` says how the error was uncaught. */
export type TakeUncaught = (where: string, thrown: unknown) => boolean;

/** Listens to SIGINT, SIGTERM, SIGHUP, SIGQUIT, a closed output, and uncaught errors. */
export function createSignals(): Signals {
  const interrupt = new AbortController();
  let stopping: Promise<void> | undefined;
  let stopAll: () => Promise<void> = async () => {};
  let finish: () => Promise<void> = async () => {};
  let code: number | undefined;
  let take: TakeUncaught = () => false;
  const stop = () => {
    stopping ??= finish().then(() => inTime(stopAll()));
    return stopping;
  };
  process.on("SIGINT", () => {
    if (interrupt.signal.aborted) exitProcess(130);
    interrupt.abort();
  });
  for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT"] as const)
    process.on(signal, () => {
      const status = 128 + constants.signals[signal];
      // A closed terminal causes two SIGHUPs, of the shell and of the system. Only a second SIGTERM ends the process at once.
      if (code === status && signal === "SIGTERM") exitProcess(status);
      if (code !== undefined) return;
      code = status;
      interrupt.abort();
      stop().finally(() => exitProcess(status));
    });
  const taking: TakeUncaught = (where, thrown) => take(where, thrown);
  stopAfterErrors(taking, stop);
  stopWhenUnread(interrupt);
  endWhenStuck(interrupt.signal);
  nameRejections(taking);
  return {
    interrupt: interrupt.signal,
    get code() {
      return code;
    },
    onStop: (all, before = async () => {}) => {
      stopAll = all;
      finish = before;
    },
    stop,
    onUncaught: (first) => {
      take = first;
    },
  };
}

/** How long plugins may take to stop, in milliseconds. Events already written to a log are safe in any case. */
const stopLimit = 10_000;

/** Waits for plugins to stop, up to the limit. */
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

/** The reason of the interrupt when the reader of the output has closed it. A command that does more than print may go on. */
class OutputClosed extends Error {
  override readonly name = "AbortError";
  readonly code = "OUTPUT_CLOSED";
}

/**
 * Handles errors of stdout: its reader has closed it (`scorel ... | head -1`), or the disk is full. Commands are interrupted as by Ctrl-C;
 * a command whose work matters more than its output may go on. Without a listener the error would end the whole process.
 */
function stopWhenUnread(interrupt: AbortController): void {
  process.stdout.on("error", (cause) => interrupt.abort(new OutputClosed("The output is closed", { cause })));
  // Errors of stderr are ignored, since a message about them would fail, too.
  process.stderr.on("error", () => {});
}

/** Reports and ends a process in which nothing is pending although the command has not ended, because a plugin waits forever. */
function endWhenStuck(interrupt: AbortSignal): void {
  process.on("beforeExit", () => {
    process.stderr.write(
      "scorel: the command has not ended, but nothing is running any more: a plugin waits for a promise that nothing settles\n",
    );
    exitProcess(interrupt.aborted ? 130 : 1);
  });
}

/** Ends the process after an error in Scorel itself, since its state is unknown then. Everything is stopped in order before. */
function stopAfterErrors(take: TakeUncaught, stop: () => Promise<void>): void {
  process.on("uncaughtException", (error) => {
    if (take("a timer or callback", error)) return;
    const { code, message } = errors.PROCESS_UNEXPECTED({ reason: messageOf(error) });
    process.stderr.write(`scorel: ${code}: ${message}\n${error?.stack ?? ""}\n`);
    stop().finally(() => exitProcess(1));
  });
}

/** Reports unhandled rejections. The process goes on, since they harm no session. */
function nameRejections(take: TakeUncaught): void {
  process.on("unhandledRejection", (reason) => {
    if (take("a promise that nobody awaits", reason)) return;
    const text = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    process.stderr.write(`scorel: a plugin did not handle a rejected promise: ${text}\n`);
  });
}
