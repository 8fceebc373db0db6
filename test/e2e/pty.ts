import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { rowsOf } from "./rows.ts";
import type { Scratch } from "./scorel.ts";

const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));

/** Whether this machine has the program `script`, which runs a command in a terminal. */
export const hasTerminals = spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0;

const COLUMNS = 120;
/** Milliseconds to wait until a text is shown. */
const PATIENCE_MS = 15_000;

/** The arguments with an option that turns off the full-screen application, if they begin a conversation. */
function plain(args: readonly string[]): readonly string[] {
  const [noun = ""] = args;
  return noun === "" || noun.startsWith("-") || noun === "chat" || noun === "attach" ? [...args, "--plain"] : args;
}

/** The built command in a real terminal. */
export interface Terminal extends AsyncDisposable {
  type(text: string): void;
  /** Resolves when the screen has shown this text since the previous call. */
  shows(text: string): Promise<void>;
  screen(): string;
  /** All bytes that the terminal received, including escape sequences. */
  raw(): string;
  /** The rows of the screen. */
  rows(): string[];
  code: Promise<number | null>;
}

/**
 * Starts the command in a terminal: as a conversation line by line, or with `full` as the full-screen application.
 * `jobs` starts the command in a shell with job control, which reports when it is stopped, and continues it at an empty
 * line.
 */
export function terminal(s: Scratch, args: readonly string[] = [], { jobs = false, full = false } = {}): Terminal {
  const command = [process.execPath, BIN, ...(full ? args : plain(args))].map((word) => `'${word}'`).join(" ");
  const env = { PATH: process.env.PATH ?? "", HOME: s.home, LANG: "C.UTF-8", TMPDIR: tmpdir(), TERM: "xterm" };
  // Without an explicit size the terminal has none.
  const run = jobs
    ? `set -m; ${command}; code=$?; stty sane; echo "[stopped $code]"; read -r line; fg`
    : `exec ${command}`;
  const sized = `stty cols ${COLUMNS} rows 40; ${run}`;
  const child: ChildProcess = spawn("script", ["-qefc", sized, "/dev/null"], { cwd: s.project, env });
  let seen = "";
  let from = 0;
  let look = () => {};
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    seen += chunk;
    look();
  });
  const code = new Promise<number | null>((resolve) => child.on("close", (status) => resolve(status)));
  const screen = () => stripVTControlCharacters(seen);
  return {
    type: (text) => void child.stdin?.write(text),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const fail = (how: string) =>
          reject(
            new Error(`It ${how} without showing ${JSON.stringify(text)}:\n${JSON.stringify(screen().slice(from))}`),
          );
        const late = setTimeout(() => fail("went on"), PATIENCE_MS);
        look = () => {
          const at = screen().indexOf(text, from);
          if (at < 0) return;
          clearTimeout(late);
          from = at + text.length;
          resolve();
        };
        look();
        void code.then(() => {
          clearTimeout(late);
          fail("ended");
        });
      }),
    screen,
    raw: () => seen,
    rows: () => rowsOf(seen, COLUMNS),
    code,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await code;
    },
  };
}
