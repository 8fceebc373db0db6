import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createContainers } from "../../../plugins/sandbox/container.ts";
import type { ReadyJob } from "../../../plugins/sandbox/executor.ts";

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
