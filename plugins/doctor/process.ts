import { execFile } from "node:child_process";

/** How a program ended. */
export interface Ran {
  /** Exit code; undefined when the program did not start or was killed. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  /** True when it was killed because it took too long. */
  late: boolean;
  /** System error code, when it did not start or end by itself. */
  reason?: string;
}
interface How {
  cwd: string;
  env: Record<string, string>;
  /** Milliseconds. */
  limit: number;
  signal: AbortSignal;
  /** Called with all of stderr so far; true means not to wait any longer. */
  isHopeless?(stderr: string): boolean;
}

/** Runs a program, and kills it when the limit is exceeded. Resolves when the process has ended. */
export function run(
  [program, ...args]: readonly [string, ...string[]],
  { cwd, env, limit, signal, isHopeless }: How,
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, env, timeout: limit, killSignal: "SIGKILL" as const, maxBuffer: 2 ** 26, signal };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      const late = child.killed && !signal.aborted;
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : undefined;
      const reason = late || code !== undefined ? undefined : String(error?.code ?? error?.signal ?? error?.message);
      const ran = { code, stdout, stderr, late, ...(reason !== undefined && { reason }) };
      const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
      if (isGone) resolve(ran);
      else child.once("exit", () => resolve(ran));
    });
    let said = "";
    child.stderr?.on("data", (text: string) => {
      said += text;
      if (isHopeless?.(said)) child.kill("SIGKILL");
    });
    // Close stdin, so that a program that reads it sees its end.
    child.stdin?.on("error", () => {});
    child.stdin?.end();
  });
}

/** Returns the environment without undefined values. */
export function whole(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
