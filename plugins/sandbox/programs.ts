import { execFile } from "node:child_process";
import { delimiter, isAbsolute } from "node:path";
import { findProgram as findIn } from "@scorel/kit/process/programs";

/** The absolute path of a program on this process's PATH. Relative folders are left out: they depend on the working directory. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  return findIn(name, folders.join(delimiter));
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
