import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { KernelEntry } from "@scorel/kernel";
import local from "@scorel/local";
import { describe } from "vitest";
import { createExtensionLoader } from "../../../plugins/extensions/load/loader.ts";
import { executorContract, type Ground } from "../../contracts/executor.ts";
import { contained, testKernel } from "../../harness.ts";

const example = fileURLToPath(new URL("../../../docs/examples/elsewhere", import.meta.url));

/** Starts an executor for a project that it names `folder`, and that is in `disk` on this computer. */
async function start(entry: (disk: string) => Promise<KernelEntry> | KernelEntry, there?: string): Promise<Ground> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "scorel-executor-")));
  const disk = join(base, "project");
  mkdirSync(disk);
  const folder = there ?? disk;
  const workspace = { cwd: folder, root: folder, home: base, temp: base, allowWrite: [] };
  const t = await testKernel([await entry(disk)], { services: { workspace } });
  return {
    files: t.kernel.find("files") as Ground["files"],
    processes: t.kernel.find("processes") as Ground["processes"],
    folder,
    disk,
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      rmSync(base, { recursive: true });
    },
  };
}

/** The example, loaded and contained like an extension. */
async function elsewhere(folder: string): Promise<KernelEntry> {
  const cache = mkdtempSync(join(tmpdir(), "scorel-cache-"));
  try {
    const load = createExtensionLoader({ folder: cache, keyFile: join(cache, "key") });
    const file = join(example, "index.ts");
    const plugin = await load({ id: "elsewhere", path: file, file, of: "user" });
    return { ...contained(plugin, file), config: { command: [process.execPath, join(example, "agent.mjs")], folder } };
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

describe("this computer", () => {
  executorContract(() => start(() => ({ plugin: local, origin: "test" })));
});

describe("the example at the other end of a program's input and output", () => {
  executorContract(() => start(elsewhere, "/nowhere/project"));
});
