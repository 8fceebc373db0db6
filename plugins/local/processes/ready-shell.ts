import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { existsSync, type Stats, statSync } from "node:fs";
import type { Duplex } from "node:stream";
import { newId } from "@scorel/kernel";
import { MARK } from "@scorel/kit/process/tree";

/** The longest command for a waiting shell; bash reads it from a pipe byte by byte. */
const LONGEST = 4_096;
/** Lets the model request that follows a command start first, so that starting a shell does not delay it. */
const DELAY_MS = 50;
const BASH = "/bin/bash";
/** Waits for a command and then becomes the usual shell; exits when this process ends without writing one. */
const WAIT = `IFS= read -r -d "" command <&3 || exit 0; exec 3<&-; exec ${BASH} -c "$command" 2>&1`;

export interface ShellOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
}
/** A shell that has received its command. */
export interface Shell {
  child: ChildProcess;
  /** The environment marker by which all its descendants are found. */
  mark: string;
}

interface WaitingShell extends Shell {
  cwd: string;
  folder: Stats;
  env: string;
}

/**
 * Keeps a shell ready for a session's next command, with the directory and environment of the last one. Starting a process
 * copies this process's page tables, which takes 5 to 25 ms; this happens while the model answers.
 */
export class ReadyShell {
  private waiting: WaitingShell | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** Passes the command to the waiting shell; undefined if none fits. */
  take(command: string, { cwd, env }: ShellOptions): Shell | undefined {
    const { waiting } = this;
    if (!waiting || !fits(command)) return undefined;
    this.waiting = undefined;
    const { child, mark } = waiting;
    if (waiting.env !== JSON.stringify(env) || !startedIn(waiting, cwd)) {
      inputOf(child).destroy();
      return undefined;
    }
    keepProcessAlive(child, true);
    inputOf(child).end(`${command}\0`);
    return { child, mark };
  }

  /** Schedules the start of a shell for the next command. */
  prepare(options: ShellOptions): void {
    if (this.isClosed || !existsSync(BASH)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.begin(options), DELAY_MS).unref();
  }

  /** The process id of the waiting shell. */
  get pid(): number | undefined {
    return this.waiting?.child.pid;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    if (this.waiting) inputOf(this.waiting.child).destroy();
    this.waiting = undefined;
  }

  /** Starts a waiting shell in place of another one. Resolves when it runs or has failed. */
  async begin({ cwd, env }: ShellOptions): Promise<void> {
    const words = JSON.stringify(env);
    if (this.waiting?.env === words && startedIn(this.waiting, cwd)) return;
    if (this.waiting) inputOf(this.waiting.child).destroy();
    this.waiting = undefined;
    const mark = newId();
    const folder = folderAt(cwd);
    const child = folder && spawnWaiting({ cwd, env: { ...env, [MARK]: mark } });
    if (!folder || child?.pid === undefined) return;
    inputOf(child).on("error", () => {});
    child.once("exit", () => {
      if (this.waiting?.child === child) this.waiting = undefined;
    });
    keepProcessAlive(child, false);
    this.waiting = { child, mark, cwd, folder, env: words };
    await new Promise<void>((resolve) => {
      child.once("spawn", resolve);
      child.once("exit", () => resolve());
    });
  }
}

function fits(command: string): boolean {
  return command.length <= LONGEST && !command.includes("\0");
}

/** Whether the path still leads to the folder in which the shell was started. */
function startedIn({ cwd: before, folder }: WaitingShell, cwd: string): boolean {
  const now = cwd === before ? folderAt(cwd) : undefined;
  return now !== undefined && now.dev === folder.dev && now.ino === folder.ino;
}

/** The folder at a path; undefined if it cannot be looked at, for example because the server of its file system is gone. */
function folderAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Starts a shell that waits for a command. A failed start is reported when a shell is really needed. */
function spawnWaiting(options: ShellOptions): ChildProcess | undefined {
  try {
    const stdio: StdioOptions = ["ignore", "pipe", "ignore", "pipe"];
    return spawn(BASH, ["-c", WAIT], { ...options, detached: true, stdio }).once("error", () => {});
  } catch {
    // Thrown for some reasons, such as variables that are too long; most others are events.
    return undefined;
  }
}

function inputOf({ stdio }: ChildProcess): Duplex {
  return stdio[3] as Duplex;
}

/** A waiting shell does not keep the process alive. */
function keepProcessAlive(child: ChildProcess, isNeeded: boolean): void {
  const handles = [child, child.stdout, inputOf(child)] as { ref?(): void; unref?(): void }[];
  for (const handle of handles) isNeeded ? handle.ref?.() : handle.unref?.();
}
