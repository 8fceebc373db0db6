import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { ownPath } from "./programs.ts";
import { SAFE_GIT, SAFE_GIT_ENV } from "./safe-git.ts";

/** Maximum number of characters of git's stderr to keep. */
const SAID = 2_000;

/** Options of `runGit`. */
export interface GitRun {
  /** Settings of this command, as `key=value`. */
  settings?: readonly string[];
  /** Variables besides PATH, HOME and those that make git safe. */
  env?: Readonly<Record<string, string>>;
  input?: string;
  /** Kills git when aborted. */
  signal?: AbortSignal | undefined;
  /** Milliseconds after which git is killed. */
  limitMs: number;
}

/** The result of a git command that has ended. */
export interface GitResult {
  /** The exit code; null when a signal has ended git. */
  code: number | null;
  signal: NodeJS.Signals | null;
  output: Buffer;
  /** The beginning of git's stderr. */
  said: string;
}

/** The home folder in which git looks for the user's configuration. */
export function homeOfGit(): string {
  return process.env.HOME ?? "";
}

/**
 * Runs git in a folder, with SAFE_GIT and a minimal environment: without this process's `GIT_` variables, which could name another
 * repository or programs. Rejects when git cannot be started or is aborted.
 */
export function runGit(root: string, args: readonly string[], run: GitRun): Promise<GitResult> {
  const { settings = [], env, input, signal, limitMs } = run;
  return new Promise((resolve, reject) => {
    const set = settings.flatMap((setting) => ["-c", setting]);
    const child = spawn("git", [...SAFE_GIT, "--no-replace-objects", ...set, "-C", root, ...args], {
      env: {
        PATH: ownPath(process.env.PATH, root),
        HOME: homeOfGit(),
        ...SAFE_GIT_ENV,
        // A repository above the project must not be used, even if the project's own is damaged.
        GIT_CEILING_DIRECTORIES: dirname(root),
        ...env,
      },
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      timeout: limitMs,
      killSignal: "SIGKILL",
      ...(signal && { signal }),
    });
    const chunks: Buffer[] = [];
    let said = "";
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(0, SAID);
    });
    child.on("error", reject);
    child.on("close", (code, ended) => resolve({ code, signal: ended, output: Buffer.concat(chunks), said }));
    // If git ends without reading its input, the pipe closes; the exit code gives the reason.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
