import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Ledger } from "../../../plugins/kit/process/ledger.ts";
import type { ExecutorCommand, ReadyJob } from "../../../plugins/sandbox/executor.ts";
import { run } from "../../../plugins/sandbox/process.ts";
import { itWith } from "../../optional.ts";

function folder(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), "scorel-process-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}
const MB = 1024 * 1024;

function start(more: Partial<ExecutorCommand>, cwd = folder(), report = (_thrown: unknown) => {}) {
  const command: ExecutorCommand = {
    ...{ executor: "bubblewrap", file: "/bin/sh", args: ["-c", "exit 3"], env: {}, watched: false },
    failure: async () => undefined,
    release: async () => {},
    ...more,
  };
  const limits = { seconds: 60, cpuSeconds: 60, memoryBytes: 256 * MB, processes: 64, fileBytes: MB };
  const job: ReadyJob = { argv: ["true"], cwd, env: {}, mounts: [], network: false, limits, interactive: false };
  return run(command, job, {}, new Ledger(folder(), "test", () => {}), report);
}

it("a program ends as usual if its temporary files cannot be removed, which is reported", async () => {
  const release = () => Promise.reject(new Error("the folder is busy"));
  const reported: unknown[] = [];
  const { ended } = await start({ release }, folder(), (thrown) => void reported.push(thrown));
  expect(await ended).toEqual({ exitCode: 3, durationMs: expect.any(Number) });
  expect(reported).toEqual([new Error("the folder is busy")]);
});

it("a program of which it cannot be found out how it ended says so", async () => {
  const failure = () => Promise.reject(new Error("the status cannot be read"));
  const { ended } = await start({ failure });
  expect(await ended).toEqual({ failed: "the status cannot be read", durationMs: expect.any(Number) });
});

it("a program that cannot start says why, even if its temporary files cannot be removed", async () => {
  const release = () => Promise.reject(new Error("the folder is busy"));
  await expect(start({ file: "/does/not/exist", release })).rejects.toMatchObject({ code: "SANDBOX_START" });
});

itWith("linux", "a program of which a file cannot be opened leaves no other file open", async () => {
  const cwd = folder();
  const files = [
    { path: cwd, flags: "r" as const },
    { path: join(cwd, "none", "status"), flags: "w" as const },
  ];
  const direct = { file: "/bin/true", args: [], files };
  await expect(start({ direct }, cwd)).rejects.toMatchObject({ code: "SANDBOX_START" });
  expect(openFiles()).not.toContain(cwd);
});

/** The paths of the files that this process has open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return []; // The descriptor with which the folder was read.
    }
  });
}
