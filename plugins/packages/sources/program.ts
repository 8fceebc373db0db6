import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { codeOf, messageOf } from "@scorel/kernel";
import { ownFolders } from "@scorel/kit/process/programs";

const KEPT_STDERR = 8 * 1024;
/** Milliseconds that an interrupted program has to end by itself. */
const GRACE_MS = 3_000;

interface Options {
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  input?: string;
}

/** How a program ended. */
export interface Ended {
  /** Null if a signal or `failure` has ended it. */
  code: number | null;
  stdout: Buffer;
  /** The end of its output on stderr. */
  stderr: string;
  /** Why it could not be started, or why it was ended early. */
  failure?: string;
}

/**
 * Runs a program without a shell and keeps what it prints; never rejects. An abort ends it. Resolves only when it has ended, since it may
 * write to a folder that is removed afterwards.
 */
export function run(program: string, args: readonly string[], { input, ...options }: Options): Promise<Ended> {
  return new Promise((resolve) => {
    const stdout: Buffer[] = [];
    let stderr = "";
    const end = (code: number | null, failure?: string) =>
      resolve({ code, stdout: Buffer.concat(stdout), stderr, ...(failure !== undefined && { failure }) });
    const child = spawn(program, args, { ...options, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(-KEPT_STDERR);
    });
    child.on("error", (thrown) => {
      const failure = codeOf(thrown) === "ENOENT" ? `there is no ${program}` : messageOf(thrown);
      if (child.pid === undefined) return end(null, failure);
      // It was asked to end. Processes that it has started may keep its streams open for longer.
      const kill = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
      child.once("exit", () => {
        clearTimeout(kill);
        // Its exit code does not count: a program may exit with 0 when it is asked to end, and its output may be incomplete.
        end(null, failure);
      });
    });
    child.on("close", (code, signal) => end(code, signal === null ? undefined : `it was ended by ${signal}`));
    // A program that ends without reading its input closes the pipe; its exit code says why.
    child.stdin.on("error", () => {});
    child.stdin.end(input ?? "");
  });
}

/** The PATH for one of the user's programs. It includes Node's folder, so that scripts which start `node` find it. */
export function pathFor({ PATH }: Readonly<Record<string, string | undefined>>): string {
  return [...ownFolders(PATH), dirname(process.execPath)].join(delimiter);
}
