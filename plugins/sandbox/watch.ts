import { readdirSync, readFileSync } from "node:fs";
import type { SandboxEnd, SandboxLimits } from "./contract.ts";

const EVERY_MS = 100;
const PAGE_BYTES = 4096;

/**
 * Watches a process and its descendants, and reports when together they exceed a limit. The system's own limits apply
 * to each process separately, and root has no process limit. Returns a function that stops watching.
 */
export function watchUse(
  pid: number,
  { memoryBytes, processes }: SandboxLimits,
  onExcess: (what: NonNullable<SandboxEnd["ended"]>) => void,
): () => void {
  const timer = setInterval(() => {
    const pids = familyOf(pid);
    if (pids.length > processes + OWN_PROCESSES) onExcess("processes");
    else if (sum(pids.map(residentBytes)) > memoryBytes) onExcess("memory");
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
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

/** Resident memory without pages shared with files and other processes. */
function residentBytes(pid: number): number {
  const [, resident = "0", shared = "0"] = attempt(() => readFileSync(`/proc/${pid}/statm`, "latin1"), "").split(" ");
  return (Number(resident) - Number(shared)) * PAGE_BYTES;
}

/** Returns `none` if `read` throws, as it does when a process ends while it is examined. */
function attempt<T>(read: () => T, none: T): T {
  try {
    return read();
  } catch {
    return none;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
