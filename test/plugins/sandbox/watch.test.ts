import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished } from "vitest";
import { useMore, watchUse } from "../../../plugins/sandbox/watch.ts";
import { itWith } from "../../optional.ts";

const MB = 1024 * 1024;

/** Lines of Python that take 100 MB and write to each page, so that it is in memory. */
function take(flags: "MAP_PRIVATE" | "MAP_SHARED"): string[] {
  return [
    `taken.append(mmap.mmap(-1, ${100 * MB}, flags=mmap.${flags} | mmap.MAP_ANONYMOUS))`,
    `for at in range(0, ${100 * MB}, 4096): taken[-1][at] = 1`,
  ];
}

/** Starts a Python program with these lines, then its children. Resolves with all pids, its own first. They wait until the test ends. */
async function programOf(lines: readonly string[], { children = 0 } = {}): Promise<number[]> {
  const script = [
    ...["import mmap, os, sys", "taken = []", ...lines],
    ...[`for _ in range(${children}):`, "  if os.fork() == 0: break"],
    "os.write(1, f'{os.getpid()}\\n'.encode())",
    "sys.stdin.read()",
  ];
  const child = spawn("python3", ["-c", script.join("\n")], { stdio: ["pipe", "pipe", "inherit"] });
  // All of them read from the same pipe.
  onTestFinished(() => void child.stdin.end());
  const pids: number[] = [];
  for await (const line of createInterface(child.stdout)) if (pids.push(Number(line)) > children) break;
  // A child may be faster with its line than the program itself.
  return [child.pid as number, ...pids.filter((pid) => pid !== child.pid)];
}

describe("the memory of a program", () => {
  itWith(["linux", "python"], "counts even if other programs could share it", async () => {
    for (const kind of ["MAP_PRIVATE", "MAP_SHARED"] as const) {
      const pids = await programOf([...take(kind), ...take(kind)]);
      expect([kind, await useMore(pids, 150 * MB), await useMore(pids, 300 * MB)]).toEqual([kind, true, false]);
    }
  });

  itWith(["linux", "python"], "counts once if its processes share it", async () => {
    for (const kind of ["MAP_PRIVATE", "MAP_SHARED"] as const) {
      const pids = await programOf(take(kind), { children: 4 });
      expect([kind, await useMore(pids, 250 * MB), await useMore(pids, 80 * MB)]).toEqual([kind, false, true]);
    }
  });

  itWith(["linux", "python"], "is watched, and so is the memory of its processes", async () => {
    const [pid = 0] = await programOf(take("MAP_SHARED"), { children: 1 });
    const limits = { seconds: 60, cpuSeconds: 60, memoryBytes: 80 * MB, processes: 64, fileBytes: MB };
    const excess = await new Promise((resolve) => onTestFinished(watchUse(pid, limits, resolve)));
    expect(excess).toBe("memory");
  });

  itWith("linux", "of a process that has ended is none", async () => {
    const child = spawn("true");
    await new Promise((resolve) => child.once("exit", resolve));
    expect(await useMore([child.pid as number], 0)).toBe(false);
  });
});
