/** The process's own ways to end, taken before any extension could run: what they find in `process` later is guarded. */
const { exit, reallyExit } = process as NodeJS.Process & { reallyExit(code?: number): never };

/** Ends the process, whatever extensions have registered for its end. */
export function exitProcess(code: number): never {
  Object.assign(process, { reallyExit });
  try {
    return exit.call(process, code);
  } catch {
    // An extension's listener for the end has thrown: that is no reason to stay.
    return reallyExit.call(process, code);
  }
}
