import type { BaseContext } from "@scorel/kernel";
import { plainText } from "@scorel/kit/text/plain";
import { logData } from "@scorel/kit/values/log-data";

type Logger = BaseContext["logger"];

/** The most problems that are printed in an hour: others can cause them, and the file that keeps them must not fill the disk. */
const MOST = 100;
const HOUR_MS = 60 * 60_000;

/**
 * The logger of the host and its sessions. With --verbose (`isVerbose`), everything is printed. Otherwise only a process that serves others
 * (`isServing`) prints anything, and only problems: they go to the host's log, since nobody sees them when they happen.
 */
export function loggerTo(
  stderr: { write(text: string): unknown },
  { isVerbose, isServing }: { isVerbose: boolean; isServing(): boolean },
): Logger {
  const print = (level: keyof Logger, message: string, data?: unknown) => {
    const more = data === undefined ? "" : `: ${logData(data)}`;
    stderr.write(`scorel: ${level}: ${plainText(message + more)}\n`);
  };
  const counted = counter();
  const detail = (level: "debug" | "info") => (message: string, data?: unknown) => {
    if (isVerbose) print(level, message, data);
  };
  const problem = (level: "warn" | "error") => (message: string, data?: unknown) => {
    if (isVerbose) return print(level, message, data);
    if (!isServing()) return;
    const count = counted();
    if (count <= MOST) print(level, message, data);
    if (count === MOST) print("warn", "Further problems of this hour are not printed.");
  };
  return { debug: detail("debug"), info: detail("info"), warn: problem("warn"), error: problem("error") };
}

/** Returns a function that counts its calls within an hour. */
function counter(): () => number {
  let since = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - since >= HOUR_MS) [since, count] = [now, 0];
    return ++count;
  };
}
