import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Emulator, emulator } from "../plugins/terminal/emulator.ts";
import type { Scratch } from "./scorel.ts";

const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const PATIENCE_MS = 40_000;
const LOOK_MS = 15;
/** Synchronized output: what terminals draw at once is between these. */
const [FRAME_BEGINS, FRAME_ENDS] = ["\u001b[?2026h", "\u001b[?2026l"];

/** The built command with its application on the screen of an emulated terminal. */
export interface FullScreen extends AsyncDisposable {
  readonly screen: Emulator;
  type(text: string): void;
  paste(text: string): void;
  /** Resolves once the screen contains this text, or text that matches. */
  shows(wanted: string | RegExp): Promise<void>;
  /** Resolves once the screen does not contain this text. */
  hides(text: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** Sends a signal to the command. */
  signal(name: NodeJS.Signals): void;
  /** Everything that was sent to the terminal. */
  sent(): string;
  code: Promise<number | null>;
}

export interface FullScreenOptions {
  columns?: number;
  rows?: number;
  /** Whether the terminal tells its size. Default: true */
  sized?: boolean;
  env?: Readonly<Record<string, string>>;
  /**
   * Starts the command in a shell with job control. The shell reports when the command is stopped, and continues it at
   * an empty line.
   */
  jobs?: boolean;
}

export function fullScreen(
  s: Scratch,
  args: readonly string[] = [],
  { columns = 80, rows = 24, sized: isSized = true, env: more = {}, jobs = false }: FullScreenOptions = {},
): FullScreen {
  const screen = emulator(columns, rows);
  const notes = join(s.project, "..", `terminal-${Math.random().toString(36).slice(2)}`);
  const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(" ");
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: s.home,
    LANG: "C.UTF-8",
    TMPDIR: tmpdir(),
    TERM: "xterm-256color",
    ...more,
  };
  const run = jobs
    ? `set -m; ${command}; code=$?; stty sane; echo "[stopped $code]"; read -r line; fg`
    : `echo $$ >> '${notes}'; exec ${command}`;
  const sized = `stty cols ${isSized ? columns : 0} rows ${isSized ? rows : 0}; tty > '${notes}'; ${run}`;
  const child: ChildProcess = spawn("script", ["-qefc", sized, "/dev/null"], { cwd: s.project, env });
  let sent = "";
  let unread = 0;
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    sent += chunk;
    unread++;
    void screen.write(chunk).then(() => unread--);
  });
  // A large frame arrives in several parts, of which a terminal shows none before the last one.
  const isWhole = () => unread === 0 && sent.lastIndexOf(FRAME_BEGINS) <= sent.lastIndexOf(FRAME_ENDS);
  screen.onAnswer((data) => void child.stdin?.write(data));
  const code = new Promise<number | null>((resolve) => child.on("close", (status) => resolve(status)));
  let isOver = false;
  void code.then(() => {
    isOver = true;
  });
  const until = async (what: string, holds: () => boolean) => {
    for (const end = Date.now() + PATIENCE_MS; !((isWhole() || isOver) && holds()); ) {
      if (Date.now() > end || isOver)
        throw new Error(`${isOver ? "It ended" : "It went on"} and ${what}:\n${screen.text()}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const [tty = () => "", pid = () => 0] = [
    () => readFileSync(notes, "utf8").split("\n")[0] ?? "",
    () => Number(readFileSync(notes, "utf8").split("\n")[1]),
  ];
  return {
    screen,
    type: (text) => void child.stdin?.write(text),
    paste: (text) => void child.stdin?.write(`\u001b[200~${text}\u001b[201~`),
    shows: (wanted) =>
      until(`never showed ${String(wanted)}`, () =>
        typeof wanted === "string" ? screen.text().includes(wanted) : wanted.test(screen.text()),
      ),
    hides: (text) => until(`still showed ${text}`, () => !screen.text().includes(text)),
    resize(width, height) {
      screen.resize(width, height);
      spawnSync("stty", ["-F", tty(), "cols", String(width), "rows", String(height)]);
    },
    signal: (name) => void process.kill(pid(), name),
    sent: () => sent,
    code,
    async [Symbol.asyncDispose]() {
      // A command that only notices that its terminal is gone would still write a draft while its home is removed.
      if (!isOver && !jobs) process.kill(pid(), "SIGKILL");
      else child.kill("SIGKILL");
      await code;
      screen[Symbol.dispose]();
    },
  };
}

/** Waits until keys are accepted as answers to a question, which needs a moment without typing. */
export function typingOver(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 750));
}
