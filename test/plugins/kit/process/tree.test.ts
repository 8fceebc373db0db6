import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { identityOf } from "../../../../plugins/kit/process/identity.ts";
import { endTree, MARK } from "../../../../plugins/kit/process/tree.ts";
import { itWith } from "../../../optional.ts";
import { isAlive } from "../../../processes.ts";

/** Starts a shell in its own process group; returns it with the pids that it prints. */
async function shell(script: string, mark: string): Promise<{ child: ChildProcess; pids: number[] }> {
  const env = { ...process.env, [MARK]: mark };
  const child = spawn("/bin/sh", ["-c", script], { detached: true, env, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(child.stdout as NodeJS.ReadableStream, "data");
  return { child, pids: String(line).trim().split(" ").map(Number) };
}

describe("ending a command", () => {
  it("ends everything that it started, too", async () => {
    const { child, pids } = await shell('sleep 300 & echo "$$ $!"; wait', "test-tree-descent");
    await endTree(child.pid, "test-tree-descent");
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it("ends processes that ignore SIGTERM", async () => {
    const { child, pids } = await shell('trap "" TERM; echo $$; while :; do sleep 0.1; done', "test-tree-stubborn");
    await endTree(child.pid, "test-tree-stubborn");
    expect(pids.map(isAlive)).toEqual([false]);
  });

  itWith("linux", "finds by its mark what has left its group, after it has ended", async () => {
    const { child, pids } = await shell("setsid sleep 300 >/dev/null & echo $!", "test-tree-mark");
    if (child.exitCode === null) await once(child, "exit");
    expect(pids.map(isAlive)).toEqual([true]);
    await endTree(undefined, "test-tree-mark");
    expect(pids.map(isAlive)).toEqual([false]);
  });
});

describe("the identity of a process", () => {
  it("has a start time while it runs, and none after it has ended", async () => {
    const { child, pids } = await shell("echo $$; exec sleep 300", "test-tree-identity");
    const pid = pids[0] as number;
    const { start } = identityOf(pid);
    expect(start).not.toBe("");
    expect(identityOf(pid)).toEqual({ pid, start });
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(identityOf(pid)).toEqual({ pid, start: "" });
  });
});
