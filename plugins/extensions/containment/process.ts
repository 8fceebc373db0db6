import { Console } from "node:console";
import { Writable } from "node:stream";
import { errors } from "../errors.ts";
import { watchLeftovers } from "./leftovers.ts";
import { callingExtension } from "./owners.ts";
import { type Surroundings, startWatchdog } from "./watchdog.ts";

export { takeUncaught } from "./uncaught.ts";

/** Deep enough for a call out of a library that an extension brought. */
const DEEP = 50;
/** An extension that writes to stdout itself is near the top; whoever writes events pays for each frame looked at. */
const NEAR = 6;

/**
 * Keeps what extensions do by mistake from harming the process they share: once per process, before the first one's
 * code runs. What it cannot stop is told in docs/decisions.
 */
export function containProcess(surroundings: Surroundings): void {
  refuseToEnd();
  refuseToSignal();
  sendConsoleToStderr();
  keepStdoutClean();
  startWatchdog(surroundings);
  watchLeftovers();
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype]) Object.preventExtensions(prototype);
}

/** All sessions share the process and its working directory: neither is one extension's to change. */
function refuseToEnd(): void {
  for (const name of ["exit", "reallyExit", "abort", "chdir"] as const)
    Object.assign(process, {
      [name]: () => {
        throw errors.EXTENSION_PROCESS({ call: `process.${name}()`, by: caller() });
      },
    });
}

function refuseToSignal(): void {
  const { kill, pid } = process;
  process.kill = (target, signal) => {
    // Readline stops the process at Ctrl-Z.
    if (signal !== 0 && signal !== "SIGTSTP" && (target === pid || target === 0 || target === -pid))
      throw errors.EXTENSION_PROCESS({ call: "process.kill() of this process", by: caller() });
    return kill.call(process, target, signal);
  };
}

function caller(): string | undefined {
  const found = callingExtension(DEEP);
  return found && `extension "${found.id}", ${found.at}`;
}

/** Scorel's own code uses no console. */
function sendConsoleToStderr(): void {
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      writeToStderr(callingExtension(DEEP)?.id, chunk);
      done();
    },
  });
  const labelled = new Console({ stdout: stream, stderr: stream });
  for (const [name, method] of Object.entries(labelled))
    if (typeof method === "function") Object.assign(console, { [name]: method });
}

function writeToStderr(id: string | undefined, text: string): void {
  const label = `[${id ?? "an extension"}] `;
  process.stderr.write(text.replace(/^(?=.)/gm, label).replace(/\n?$/, "\n"));
}

/** Stdout is what programs read: an extension's text in it would break their JSON. */
function keepStdoutClean(): void {
  const { stdout } = process;
  const write = stdout.write.bind(stdout) as (...given: unknown[]) => boolean;
  const guarded = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const extension = callingExtension(NEAR);
    if (!extension) return write(chunk, ...rest);
    writeToStderr(extension.id, typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
    const done = rest.find((given) => typeof given === "function") as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  };
  Object.assign(stdout, { write: guarded });
}
