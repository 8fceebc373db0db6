import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** The absolute path of a program on this process's PATH. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(":").filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // Missing or not executable; the next folder may have it.
  }
}

export interface Answer {
  /** 0 on success; undefined if it could not run or timed out. */
  code: number | undefined;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end, at most for `timeoutMs`. */
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
