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

const { stdout, stderr } = process;
const writers = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) } as Record<string, Write>;

type Write = (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;

/**
 * The process's stdout for faces that draw, with a `write` that no extension has replaced. What extensions write to
 * `process.stdout` elsewhere is kept out of it.
 */
export const terminalStdout = withWrite(writers.stdout as Write);

/** The same for commands: {@link filterOutput} decides what a terminal gets of it. */
export let commandStdout = terminalStdout;

/**
 * Takes what a terminal would act on out of stderr and, where it is a terminal, out of {@link commandStdout}: names, texts
 * and messages come from projects, servers and models.
 */
export function filterOutput(plain: (text: string) => string): void {
  const filtered =
    (write: Write): Write =>
    (chunk, ...rest) =>
      write(plain(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString()), ...rest);
  stderr.write = filtered(writers.stderr as Write) as typeof stderr.write;
  if (stdout.isTTY) commandStdout = withWrite(filtered(writers.stdout as Write));
}

function withWrite(write: Write): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, key) {
      if (key === "write") return write;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
