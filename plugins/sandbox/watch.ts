import { readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { SandboxEnd, SandboxLimits } from "./contract.ts";

const EVERY_MS = 100;

/**
 * Watches a process and its descendants, and reports when together they exceed a limit. The system's own limits apply
 * to each process separately, and root has no process limit. Returns a function that stops watching.
 */
export function watchUse(
  pid: number,
  { memoryBytes, processes }: SandboxLimits,
  onExcess: (what: NonNullable<SandboxEnd["ended"]>) => void,
): () => void {
  let isWatching = true;
  let timer: NodeJS.Timeout;
  const next = () => {
    timer = setTimeout(() => void look(), EVERY_MS);
    timer.unref();
  };
  const look = async () => {
    const pids = familyOf(pid);
    const isMany = pids.length > processes + OWN_PROCESSES;
    const isMuch = !isMany && (await useMore(pids, memoryBytes));
    if (!isWatching) return;
    if (isMany || isMuch) onExcess(isMany ? "processes" : "memory");
    next();
  };
  next();
  return () => {
    isWatching = false;
    clearTimeout(timer);
  };
}

/** The number of processes of the executor itself. */
const OWN_PROCESSES = 2;

/** This process and its living descendants. In a namespace, descendants cannot detach themselves. */
function familyOf(pid: number): number[] {
  const family = [pid];
  for (let at = 0; at < family.length; at++) family.push(...childrenOf(family[at] as number));
  return family;
}

function childrenOf(pid: number): number[] {
  return attempt(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1"), "")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

/**
 * Whether processes together use more memory than this. Pages of files on disk do not count, since the system can take them back. Memory
 * that no process has mapped, such as the content of a file of `memfd_create`, is not seen.
 */
export async function useMore(pids: readonly number[], bytes: number): Promise<boolean> {
  if (pids.reduce((sum, pid) => sum + mappedBytes(pid), 0) <= bytes) return false;
  // Pages that are shared, as after a fork, were counted for each process. Counting each page once takes the system much longer.
  let used = 0;
  for (const pid of pids) {
    used += await partOf(pid);
    if (used > bytes) return true;
  }
  return false;
}

/** Resident memory that a process has mapped, even if others have mapped it, too. */
function mappedBytes(pid: number): number {
  const status = attempt(() => readFileSync(`/proc/${pid}/status`, "latin1"), "");
  return bytesAt(status, "RssAnon") + bytesAt(status, "RssShmem");
}

/** The same, but with an equal part for each process that has mapped a page. All of it where the system does not tell. */
async function partOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "latin1").catch(() => "");
  return rollup.includes("\nPss_Shmem:")
    ? bytesAt(rollup, "Pss_Anon") + bytesAt(rollup, "Pss_Shmem")
    : mappedBytes(pid);
}

/** The value of a line such as `RssAnon:     148 kB`; 0 if there is none. */
function bytesAt(lines: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, "m").exec(lines)?.[1] ?? 0) * 1024;
}

/** Returns `none` if `read` throws, as it does when a process ends while it is examined. */
function attempt<T>(read: () => T, none: T): T {
  try {
    return read();
  } catch {
    return none;
  }
}
