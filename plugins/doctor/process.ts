import { execFile } from "node:child_process";

/** How a program ended. */
export interface Ran {
  /** Its exit code; undefined when it did not start, or was ended. */
  code: number | undefined;
  stdout: string;
  stderr: string;
  /** It was ended since it took too long. */
  late: boolean;
  /** Why it did not start or end by itself: the system's word. */
  reason?: string;
}
interface How {
  cwd: string;
  env: Record<string, string>;
  /** Milliseconds. */
  limit: number;
  signal: AbortSignal;
  /** Asked with all of stderr: whether it says enough not to wait any longer. */
  isHopeless?(stderr: string): boolean;
}

/** Runs a program to its end, and ends it when that does not come in time. Answers when it is gone. */
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
    // Whoever reads its input finds the end of it.
    child.stdin?.on("error", () => {});
    child.stdin?.end();
  });
}

/** An environment as a program takes it. */
export function whole(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
