import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { ownIdentity, type ProcessIdentity } from "../../../plugins/kit/process/identity.ts";
import { createContainers, labelOf } from "../../../plugins/sandbox/container.ts";
import type { ReadyJob } from "../../../plugins/sandbox/executor.ts";

/** A docker on the PATH with these containers, which it lists with their labels. Returns a function that reads its calls. */
function dockerWith(labels: Readonly<Record<string, string>>): () => string[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "scorel-container-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [calls, list] = [join(folder, "calls"), join(folder, "list")];
  const lines = Object.entries(labels).map(([id, label]) => `${id} ${label}\n`);
  writeFileSync(list, lines.join(""));
  const script = `#!/bin/sh\necho "$*" >> '${calls}'\nif [ "$1" = ps ]; then cat '${list}'; fi\n`;
  writeFileSync(join(folder, "docker"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readFileSync(calls, "utf8").split("\n");
}

it("containers of processes that are gone are removed, but none of a process that runs or may run", async () => {
  const { pid } = spawnSync("true");
  const own = ownIdentity();
  const containers: Record<string, Partial<ProcessIdentity>> = {
    mine: {},
    ended: { pid },
    reused: { start: "1" },
    inAnotherContainer: { pid, space: "pid:[1]" },
    onAnotherMachine: { pid, boot: "another", machine: "another" },
  };
  const labels = Object.entries(containers).map(([id, other]) => [id, labelOf({ ...own, ...other })]);
  const calls = dockerWith({ ...Object.fromEntries(labels), unreadable: "1:2" });
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "scorel-container-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(await createContainers("docker", { image: "tools", folder: () => folder }).problem()).toBeUndefined();
  const removed = calls().filter((call) => call.startsWith("rm ") && !call.includes("scorel-"));
  expect(removed).toEqual(["rm --force --volumes ended reused"]);
});

it.each(["docker", "podman"] as const)(
  "%s refuses a variable with a line break, and leaves no files behind",
  async (engine) => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), "scorel-container-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const limits = { seconds: 60, cpuSeconds: 60, memoryBytes: 1024 ** 3, processes: 64, fileBytes: 1024 ** 2 };
    const env = { KEY: "one\ntwo" };
    const job: ReadyJob = { argv: ["true"], cwd: "/", env, mounts: [], network: false, limits, interactive: false };
    const starting = createContainers(engine, { image: "tools", folder: () => folder }).command(job);
    await expect(starting).rejects.toMatchObject({
      code: "SANDBOX_JOB",
      message: expect.stringContaining(`${engine} cannot pass the variable KEY, which contains a line break`),
    });
    expect(readdirSync(folder)).toEqual([]);
  },
);
