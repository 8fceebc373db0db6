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

const { stdout } = process;
const write = stdout.write;

/**
 * The process's stdout as commands get it, an extension's own commands among them. What extensions write to
 * `process.stdout` elsewhere is kept out of it; this is not.
 */
export const commandStdout: NodeJS.WriteStream = new Proxy(stdout, {
  get(target, key) {
    if (key === "write") return write.bind(target);
    const value: unknown = Reflect.get(target, key, target);
    return typeof value === "function" ? value.bind(target) : value;
  },
});
