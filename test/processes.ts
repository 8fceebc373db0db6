import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach, expect } from "vitest";
import { eventually } from "./eventually.ts";

/** Whether a process runs; a zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The pids of processes whose arguments begin like these, in any namespace. Linux only. */
export function processesOf(command: string): string[] {
  const wanted = command.replaceAll(" ", "\0");
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && argumentsOf(pid).startsWith(wanted));
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return ""; // It has ended.
  }
}

export interface Started {
  /** Ends this process after the test, if it still runs. */
  add(pid: number): void;
  /** The pids that commands wrote into a file, one per line, once there are this many; they are ended after the test. */
  pidsIn(file: string, count: number): Promise<number[]>;
}

/** Processes that a test's commands start. Those that still run after the test are killed by pid. */
export function startedProcesses(): Started {
  const started = new Set<number>();
  afterEach(() => {
    for (const pid of started) if (isAlive(pid)) process.kill(pid, "SIGKILL");
    started.clear();
  });
  return {
    add: (pid) => void started.add(pid),
    async pidsIn(file, count) {
      // A shell creates the file before it writes the line, so only complete lines are pids.
      const read = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1).map(Number) : []);
      await eventually(() => expect(read()).toHaveLength(count));
      for (const pid of read()) started.add(pid);
      return read();
    },
  };
}
