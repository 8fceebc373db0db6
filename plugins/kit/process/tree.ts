import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fieldsOf } from "./identity.ts";
import { ownPath } from "./programs.ts";

/** A variable in a command's environment, by which descendants are found that left its process group and session. */
export const MARK = "SCOREL_COMMAND_ID";

const GRACE_MS = 500;
const POLL_MS = 20;
/** Attempts to kill what is left, for ten seconds in all: a program that keeps forking may never be killed completely. */
const ROUNDS = 500;

interface Process {
  pid: number;
  parent: number;
  group: number;
  /** It has ended, but its parent has not noticed yet (a zombie). */
  dead: boolean;
}

/**
 * Ends a command and all processes that it started: SIGTERM, half a second to clean up, then SIGKILL until nothing is left. The
 * processes are found by descent, by process group and, on Linux, by the mark in their environment. If the command itself has
 * ended, `pid` is undefined, since its pid may belong to another process, and only the mark is used.
 */
export async function endTree(pid: number | undefined, mark: string): Promise<void> {
  const known = new Set(pid === undefined ? [] : [pid]);
  const alive = async () => {
    const found = await family(known, mark);
    for (const member of found) known.add(member);
    return found;
  };
  signalAll(pid, await alive(), "SIGTERM");
  for (let waited = 0; waited < GRACE_MS; waited += POLL_MS) {
    if ((await alive()).length === 0) return;
    await delay(POLL_MS);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const left = await alive();
    if (left.length === 0) return;
    signalAll(pid, left, "SIGKILL");
    await delay(POLL_MS);
  }
}

/** Kills a process group immediately, for when this process is about to end. */
export function killGroup(group: number): void {
  signal(-group, "SIGKILL");
}

/** Running process groups, which are killed if this process exits before they have ended. */
export class HeldGroups {
  private readonly groups = new Set<number>();

  hold(group: number): void {
    this.groups.add(group);
    if (this.groups.size === 1) process.on("exit", this.kill);
  }

  release(group: number): void {
    this.groups.delete(group);
    if (this.groups.size === 0) process.off("exit", this.kill);
  }

  private readonly kill = (): void => {
    for (const group of this.groups) killGroup(group);
  };
}

/** The running processes that descend from a known one, are in the group of one, or have the mark. */
async function family(known: ReadonlySet<number>, mark: string): Promise<number[]> {
  const all = await processes();
  const marked = await bearers(all, mark);
  const members = new Set([...known, ...marked]);
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent, group } of all) if (members.has(parent) || members.has(group)) members.add(pid);
  }
  return all.filter(({ pid, dead }) => members.has(pid) && !dead).map(({ pid }) => pid);
}

function signalAll(group: number | undefined, pids: readonly number[], name: NodeJS.Signals): void {
  if (group !== undefined && pids.includes(group)) signal(-group, name);
  for (const pid of pids) signal(pid, name);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended in the meantime.
  }
}

async function processes(): Promise<Process[]> {
  const pids = process.platform === "linux" ? await readdir("/proc").catch(() => []) : [];
  if (pids.length === 0) return listedByPs();
  const numbers = pids.filter((name) => /^\d+$/.test(name));
  return (await Promise.all(numbers.map(fromProc))).flat();
}

async function fromProc(pid: string): Promise<Process[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  const [state, parent, group] = fieldsOf(stat);
  if (state === undefined || group === undefined) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group), dead: state === "Z" || state === "X" }];
}

function listedByPs(): Promise<Process[]> {
  return new Promise((resolve) => {
    const env = { PATH: ownPath(process.env.PATH) };
    execFile("ps", ["-axo", "pid=,ppid=,pgid=,state="], { env }, (error, stdout) => {
      const rows = error ? [] : stdout.trim().split("\n");
      resolve(
        rows
          .map((row) => row.trim().split(/\s+/))
          .map(([pid, parent, group, state]) => ({
            pid: Number(pid),
            parent: Number(parent),
            group: Number(group),
            dead: state?.startsWith("Z") ?? false,
          })),
      );
    });
  });
}

async function bearers(all: readonly Process[], mark: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const found = await Promise.all(
    all.map(async ({ pid }) => {
      const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
      return environment.split("\0").includes(`${MARK}=${mark}`) ? [pid] : [];
    }),
  );
  return found.flat();
}
