import { type ChildProcess, spawn } from "node:child_process";
import { errors } from "../errors.ts";
import { codeOf, messageOf } from "../values/coded-error.ts";

/** Maximum number of characters of ripgrep's stderr to keep. */
const MAX_STDERR = 4096;

/** Options of `runRipgrep`. */
export interface RipgrepOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** An open file for its standard input. */
  input?: number;
  signal?: AbortSignal | undefined;
  onOutput(bytes: Uint8Array): void;
}
/** How ripgrep ended. */
export interface RipgrepEnd {
  exitCode: number | null;
  /** The beginning of its standard error. */
  stderr: string;
}

/** Runs ripgrep. An abort kills it. Rejects with RIPGREP_START when it could not be started. */
export async function runRipgrep(args: readonly string[], options: RipgrepOptions): Promise<RipgrepEnd> {
  const { cwd, env, input, signal, onOutput } = options;
  const child = spawn(await program(), args, {
    cwd,
    env,
    ...(signal && { signal }),
    killSignal: "SIGKILL",
    stdio: [input ?? "ignore", "pipe", "pipe"],
  });
  let said = "";
  // Without free file descriptors the pipes do not exist.
  const { stdout, stderr } = child as ChildProcess;
  stdout?.on("data", onOutput);
  stderr?.on("data", (chunk: Buffer) => {
    if (said.length < MAX_STDERR) said += chunk.toString();
  });
  return { exitCode: await endOf(child), stderr: said };
}

/**
 * Why ripgrep has not searched everything; undefined if it has. It ends with 0, 1 or 2 itself. Without an exit code it was killed, as by a
 * system that runs out of memory, and what it has written until then is not the whole result.
 */
export function ripgrepFault({ exitCode, stderr }: RipgrepEnd): string | undefined {
  if (exitCode !== null && exitCode <= 2) return undefined;
  const how =
    exitCode === null ? "ripgrep was killed before it had finished" : `ripgrep ended with exit code ${exitCode}`;
  const said = stderr.trim();
  return said === "" ? how : `${how}: ${said}`;
}

function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", (thrown) => {
      const code = codeOf(thrown);
      const noFiles = code === "EMFILE" || code === "ENFILE";
      const why = noFiles ? `${code}: no more files can be open at once; raise the limit, see \`ulimit -n\`` : code;
      reject(errors.RIPGREP_START({ reason: why }, { cause: thrown }));
    });
    child.once("close", resolve);
  });
}

async function program(): Promise<string> {
  try {
    return (await import("@vscode/ripgrep")).rgPath;
  } catch (thrown) {
    throw errors.RIPGREP_START({ reason: `it is not installed: ${messageOf(thrown)}` }, { cause: thrown });
  }
}
