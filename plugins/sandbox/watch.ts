import { readdirSync, readFileSync } from "node:fs";
import type { SandboxEnd, SandboxLimits } from "./contract.ts";

const EVERY_MS = 100;
const PAGE_BYTES = 4096;

/**
 * Looks at a process and all that stems from it, and says when together they use more than they may. The system's own
 * limits hold for each process, and the one on their number not for root. Returns what ends the watch.
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

/** The executor's own two. */
const OWN_PROCESSES = 2;

/** Living processes below this one, which is among them. In a namespace of their own none can leave the family. */
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

/** Without the pages that it only shares with files and others. */
function residentBytes(pid: number): number {
  const [, resident = "0", shared = "0"] = attempt(() => readFileSync(`/proc/${pid}/statm`, "latin1"), "").split(" ");
  return (Number(resident) - Number(shared)) * PAGE_BYTES;
}

/** Processes end while they are looked at. */
function attempt<T>(read: () => T, none: T): T {
  try {
    return read();
  } catch {
    return none;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
