import type { StdioNull, StdioPipe } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

/** O_CLOEXEC in the flags that Linux shows. Node has no constant for it. */
const CLOSES_ON_EXEC = 0o2000000;

type Stdio = StdioPipe | StdioNull | number;

/**
 * Calls `start` with the stdio of a child, in which files that this process has inherited are replaced by /dev/null. Node closes only those
 * with low numbers: a terminal or a script that has started this process may have left others open, such as the keyboard of another
 * terminal, which no program in a sandbox may get.
 */
export function withoutInherited<T>(stdio: readonly Stdio[], start: (stdio: Stdio[]) => T): T {
  const hidden = inherited().filter((fd) => fd >= stdio.length);
  if (hidden.length === 0) return start([...stdio]);
  const nothing = openSync("/dev/null", "r+");
  try {
    // Node passes on nothing for numbers from 3 on that are ignored.
    const all = [...stdio, ...Array<Stdio>(Math.max(...hidden) + 1 - stdio.length).fill("ignore")];
    for (const fd of hidden) all[fd] = nothing;
    return start(all);
  } finally {
    closeSync(nothing);
  }
}

let found: number[] | undefined;

/**
 * The files besides stdio that children of this process get unless they are replaced. They are looked up once: Node itself opens none, and
 * looking takes long in a host with many connections.
 */
function inherited(): number[] {
  found ??= replaceable(openFiles().filter((fd) => fd > 2 && !isClosedOnExec(fd)));
  return found;
}

/**
 * Those of these files that can be replaced in a child. The others, whose numbers are above the limit of open files, as it was lowered after
 * they were opened, are closed: starting a child would fail for them, and this process does not use them.
 */
function replaceable(files: readonly number[]): number[] {
  const limit = mostFiles();
  for (const fd of files) if (fd >= limit) closeSync(fd);
  return files.filter((fd) => fd < limit);
}

/** The soft limit of open files; infinite where the system does not tell. */
function mostFiles(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns the numbers of this process's open files; an empty list on systems without /proc. */
function openFiles(): number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number);
  } catch {
    return [];
  }
}

/** Also true for the file with which the folder was read, which is closed by now. */
function isClosedOnExec(fd: number): boolean {
  try {
    const [, flags = "0"] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) !== 0;
  } catch {
    return true;
  }
}
