import { isatty } from "node:tty";

/** The process's own ways to end, taken before any extension could run: what they find in `process` later is guarded. */
const { exit, kill, reallyExit } = process as NodeJS.Process & { reallyExit(code?: number): never };

/** The standard streams that are a terminal. */
const terminals = [0, 1, 2].filter((fd) => isatty(fd));

/** Ends the process, whatever extensions have registered for its end. */
export function exitProcess(code: number): never {
  // Node sets terminals back as it ends, and aborts with a dump when one has been closed.
  if (terminals.some((fd) => !isatty(fd))) kill.call(process, process.pid, "SIGKILL");
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
