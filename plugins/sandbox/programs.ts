import { execFile } from "node:child_process";
import { findProgram as findIn, ownPath } from "@scorel/kit/process/programs";

/** The absolute path of one of the user's programs, never one of a project. */
export function findProgram(name: string): string | undefined {
  return findIn(name, ownPath(process.env.PATH));
}

export interface Answer {
  /** The exit code, 0 for success; undefined if the program could not run or timed out. */
  code: number | undefined;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, for at most `timeoutMs` milliseconds. */
export function ask(file: string, args: readonly string[], timeoutMs: number, env = process.env): Promise<Answer> {
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      { timeout: timeoutMs, env, encoding: "utf8", killSignal: "SIGKILL" },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : undefined;
        resolve({ code, stdout, stderr: stderr || (error?.message ?? "") });
      },
    );
  });
}

/** The first line of an error output. */
export const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";
