import { isatty } from "node:tty";

/** The functions that end the process, saved before any extension runs, since those in `process` are guarded later. */
const { exit, kill, reallyExit } = process as NodeJS.Process & { reallyExit(code?: number): never };

/** The file descriptors of standard streams that are terminals. */
const terminals = [0, 1, 2].filter((fd) => isatty(fd));

/** Ends the process, even if an extension's exit listener throws. */
export function exitProcess(code: number): never {
  // On exit Node resets terminals, and crashes with a dump if one was closed.
  if (terminals.some((fd) => !isatty(fd))) kill.call(process, process.pid, "SIGKILL");
  Object.assign(process, { reallyExit });
  try {
    return exit.call(process, code);
  } catch {
    // An extension's exit listener has thrown; the process ends anyway.
    return reallyExit.call(process, code);
  }
}

const { stdout, stderr } = process;
const writers = { stdout: stdout.write.bind(stdout), stderr: stderr.write.bind(stderr) } as Record<string, Write>;

type Write = (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;

/**
 * The process's stdout, for clients that draw on the terminal. Extensions cannot replace its `write`, and their output to `process.stdout`
 * does not go through it.
 */
export const terminalStdout = withWrite(writers.stdout as Write);

/** The stdout of commands. If it is a terminal, {@link filterOutput} filters it. */
export let commandStdout = terminalStdout;

/**
 * Filters stderr and, if it is a terminal, {@link commandStdout} with `plain`, which removes control characters: names, texts and
 * messages may come from projects, servers and models.
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
