import { Console } from "node:console";
import { Writable } from "node:stream";
import { errors } from "../errors.ts";
import { watchLeftovers } from "./leftovers.ts";
import { callingExtension } from "./owners.ts";
import { type Surroundings, startWatchdog } from "./watchdog.ts";

export { takeUncaught } from "./uncaught.ts";

/** Maximum stack frames to search for an extension, enough for a call from a library that it uses. */
const DEEP = 50;
/** The same for writes to stdout, which are frequent; each frame costs time. */
const NEAR = 6;

/**
 * Protects the process from mistakes of extensions. Called once, before the code of the first extension runs. Its limits are
 * listed in docs/decisions/0027.
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

/** Refuses to end the process or to change its working directory, since all sessions share them. */
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
    // Readline sends this signal at Ctrl-Z.
    if (signal !== 0 && signal !== "SIGTSTP" && (target === pid || target === 0 || target === -pid))
      throw errors.EXTENSION_PROCESS({ call: "process.kill() of this process", by: caller() });
    return kill.call(process, target, signal);
  };
}

function caller(): string | undefined {
  const found = callingExtension(DEEP);
  return found && `extension "${found.id}", ${found.at}`;
}

/** Sends console output to stderr. It comes from extensions, since Scorel's own code does not use the console. */
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

/** Sends what extensions write to stdout to stderr, since it would break the JSON that programs read from stdout. */
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
