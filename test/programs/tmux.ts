import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";

const BIN = fileURLToPath(new URL("../../dist/bin.js", import.meta.url));
const PROMPT = "shell$ ";

/** A window of tmux with a shell. */
export interface Pane {
  /** Types characters. */
  type(text: string): void;
  /** Presses keys by their names in tmux, such as `Enter` and `C-z`. */
  press(...names: string[]): void;
  /** Pastes a text like a terminal, with bracketed paste if the program has enabled it. */
  paste(text: string): void;
  screen(): string;
  shows(wanted: string | RegExp): Promise<void>;
  hides(unwanted: string): Promise<void>;
  resize(columns: number, rows: number): void;
  /** The process that is in the foreground. */
  foreground(): number;
  /** Resolves when the shell is waiting for a command. */
  atPrompt(): Promise<void>;
}

export interface Tmux extends AsyncDisposable {
  /** Opens a further window with a shell. */
  open(): Pane;
}

/** A separate tmux server. Its shells start in the project of a scratch and have `scorel` on their PATH. */
export function tmux(s: Scratch, { columns = 100, rows = 30, env = {} as Record<string, string> } = {}): Tmux {
  const socket = join(dirname(s.home), "tmux");
  const surroundings = {
    PATH: `${writeShim(s.home)}:${process.env.PATH}`,
    HOME: s.home,
    LANG: "C.UTF-8",
    TMPDIR: tmpdir(),
    PS1: PROMPT,
    ...env,
  };
  const ask = (args: readonly string[], input?: string) => {
    const options = { env: surroundings, cwd: s.project, encoding: "utf8" as const, input };
    const { status, stdout, stderr } = spawnSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], options);
    if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const shell = ["-P", "-F", "#{pane_id}", "bash", "--norc", "--noprofile"];
  const panes: Pane[] = [];
  return {
    open() {
      const isFirst = panes.length === 0;
      const place = isFirst ? ["new-session", "-d", "-x", String(columns), "-y", String(rows)] : ["new-window"];
      const pane = paneOf(ask([...place, ...shell]).trim(), ask);
      panes.push(pane);
      return pane;
    },
    async [Symbol.asyncDispose]() {
      if (panes.length === 0) return;
      const left = panes.map((pane) => pane.foreground());
      ask(["kill-server"]);
      // Programs end by themselves when their terminal is closed.
      await eventually(() => expect(left.filter(isAlive)).toEqual([]));
    },
  };
}

function paneOf(id: string, ask: (args: readonly string[], input?: string) => string): Pane {
  const screen = () => ask(["capture-pane", "-p", "-t", id]).trimEnd();
  const until = (holds: () => boolean, what: string) =>
    eventually(() => {
      if (!holds()) throw new Error(`It never ${what}:\n${screen()}`);
    });
  return {
    type: (text) => void ask(["send-keys", "-t", id, "-l", "--", text]),
    press: (...names) => void ask(["send-keys", "-t", id, ...names]),
    paste(text) {
      ask(["load-buffer", "-b", "pasted", "-"], text);
      ask(["paste-buffer", "-p", "-r", "-d", "-b", "pasted", "-t", id]);
    },
    screen,
    shows: (wanted) =>
      until(() => (typeof wanted === "string" ? screen().includes(wanted) : wanted.test(screen())), `showed ${wanted}`),
    hides: (unwanted) => until(() => !screen().includes(unwanted), `hid ${unwanted}`),
    resize: (columns, rows) => void ask(["resize-window", "-t", id, "-x", String(columns), "-y", String(rows)]),
    foreground: () => foregroundOf(Number(ask(["display-message", "-p", "-t", id, "#{pane_pid}"]))),
    atPrompt: () => until(() => screen().split("\n").at(-1)?.trimEnd() === PROMPT.trimEnd(), "came back to the shell"),
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process in the foreground of a shell's terminal. */
function foregroundOf(shell: number): number {
  const { stdout } = spawnSync("ps", ["-o", "tpgid=", "-p", String(shell)], { encoding: "utf8" });
  return Number(stdout);
}

function writeShim(home: string): string {
  const folder = join(home, "bin");
  const shim = join(folder, "scorel");
  mkdirSync(folder, { recursive: true });
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  chmodSync(shim, 0o755);
  return folder;
}
