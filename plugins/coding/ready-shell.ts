import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, type Stats, statSync } from "node:fs";
import type { Duplex } from "node:stream";
import { newId } from "@scorel/kernel";
import { MARK } from "@scorel/kit/process/tree";

/** bash reads a command from a pipe byte by byte; a longer one is started anew. */
const LONGEST = 4_096;
/** By then the request that follows a command has left, so that starting a shell holds nothing up. */
const DELAY_MS = 50;
const BASH = "/bin/bash";
/** It becomes the shell that is started otherwise, and ends where nothing is ever written: when this process has ended. */
const WAIT = `IFS= read -r -d "" command <&3 || exit 0; exec 3<&-; exec ${BASH} -c "$command" 2>&1`;

/** Where and with what a command runs. */
export interface Surroundings {
  cwd: string;
  env: Readonly<Record<string, string>>;
}
/** A shell that was given its command. */
export interface Shell {
  child: ChildProcess;
  /** What all its descendants bear in their environment. */
  mark: string;
}

interface Waiting extends Shell {
  cwd: string;
  folder: Stats;
  env: string;
}

/**
 * Keeps one shell ready for the next command of a session, like the last one's. Starting a process copies this one's page
 * tables, which takes 5 to 25 ms with the memory of a session; while the model answers nobody waits for that.
 */
export class ReadyShell {
  private waiting: Waiting | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** Gives the command to the shell that waits; undefined where there is none for these surroundings. */
  take(command: string, { cwd, env }: Surroundings): Shell | undefined {
    const { waiting } = this;
    if (!waiting || !fits(command)) return undefined;
    this.waiting = undefined;
    const { child, mark } = waiting;
    if (waiting.env !== JSON.stringify(env) || !isIn(waiting, cwd)) {
      inputOf(child).destroy();
      return undefined;
    }
    hold(child, true);
    inputOf(child).end(`${command}\0`);
    return { child, mark };
  }

  /** Starts a shell for the command after this one, shortly. */
  prepare(around: Surroundings): void {
    if (this.isClosed || !existsSync(BASH)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.begin(around), DELAY_MS).unref();
  }

  /** The process that waits. */
  get pid(): number | undefined {
    return this.waiting?.child.pid;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    if (this.waiting) inputOf(this.waiting.child).destroy();
    this.waiting = undefined;
  }

  /** Starts a shell that waits, instead of one that does; resolves when it runs, or cannot. */
  async begin({ cwd, env }: Surroundings): Promise<void> {
    const words = JSON.stringify(env);
    if (this.waiting?.env === words && isIn(this.waiting, cwd)) return;
    if (this.waiting) inputOf(this.waiting.child).destroy();
    this.waiting = undefined;
    const mark = newId();
    const folder = statSync(cwd, { throwIfNoEntry: false });
    if (!folder) return;
    const child = spawn(BASH, ["-c", WAIT], {
      cwd,
      env: { ...env, [MARK]: mark },
      detached: true,
      stdio: ["ignore", "pipe", "ignore", "pipe"],
    });
    // Whoever needs a shell starts one, and is told why that fails.
    child.once("error", () => {});
    if (child.pid === undefined) return;
    inputOf(child).on("error", () => {});
    child.once("exit", () => {
      if (this.waiting?.child === child) this.waiting = undefined;
    });
    hold(child, false);
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

/** Whether the folder of that name is still the one that the shell was started in. */
function isIn({ cwd: before, folder }: Waiting, cwd: string): boolean {
  const now = cwd === before ? statSync(cwd, { throwIfNoEntry: false }) : undefined;
  return now !== undefined && now.dev === folder.dev && now.ino === folder.ino;
}

function inputOf({ stdio }: ChildProcess): Duplex {
  return stdio[3] as Duplex;
}

/** A shell that only waits keeps no process alive. */
function hold(child: ChildProcess, isNeeded: boolean): void {
  const handles = [child, child.stdout, inputOf(child)] as { ref?(): void; unref?(): void }[];
  for (const handle of handles) isNeeded ? handle.ref?.() : handle.unref?.();
}
