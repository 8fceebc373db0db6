import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fieldsOf } from "./identity.ts";

/** Set in the environment of a command, so that descendants are found even after they left its group and session. */
export const MARK = "SCOREL_COMMAND_ID";

const GRACE_MS = 500;
const POLL_MS = 20;
/** Forking faster than this many rounds of killing is given up on, after ten seconds. */
const ROUNDS = 500;

interface Process {
  pid: number;
  parent: number;
  group: number;
  /** Has ended, but nobody has taken notice yet. */
  dead: boolean;
}

/**
 * Ends a command with all that came from it: SIGTERM, half a second to clean up, SIGKILL until nothing is left.
 * Found by descent, by process group, and (where /proc tells) by the mark in their environment; only by the mark
 * when the command itself has ended, as its number may be someone else's by now.
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

/** Kills the process group at once, for when this process itself is about to end. */
export function killGroup(group: number): void {
  signal(-group, "SIGKILL");
}

/** Living processes that stem from, or share a group with, one of the known ones, or bear the mark. */
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
    // It has ended in the meantime.
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
    execFile("ps", ["-axo", "pid=,ppid=,pgid=,state="], (error, stdout) => {
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
