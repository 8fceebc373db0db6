import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import sandbox from "@scorel/sandbox";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { testHeader } from "../../harness.ts";

/** The executor of a session with this table `[sandbox]`, when the PATH contains only these programs. */
async function chosen(
  table: object,
  programs: Record<string, string> = {},
  flag?: string,
  told = (_folder: string) => {},
) {
  const folder = fs.mkdtempSync(join(fs.realpathSync(tmpdir()), "scorel-path-"));
  for (const [name, script] of Object.entries(programs))
    fs.writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  told(folder);
  const PATH = process.env.PATH as string;
  process.env.PATH = folder;
  const workspace = { sandbox: flag, temp: folder } as never;
  const kernel = await createKernel({
    entries: [{ plugin: sandbox, origin: "test", config: table }],
    store: createMemoryStore(testHeader),
    ...(flag !== undefined && { services: { workspace } }),
  });
  onTestFinished(async () => {
    process.env.PATH = PATH;
    await kernel.stop();
    fs.rmSync(folder, { recursive: true });
  });
  return kernel.find("sandbox")?.executor();
}

const works = 'case "$1" in info) echo "[]";; esac; exit 0';

describe("without a configured executor", () => {
  it("prefers bubblewrap to containers", async () => {
    expect(await chosen({}, { bwrap: "exit 0" })).toBe("bubblewrap");
    expect(await chosen({ image: "tools" }, { bwrap: "exit 1", docker: "exit 1", podman: works })).toBe("podman");
    expect(await chosen({ image: "tools" }, { docker: works, podman: works })).toBe("docker");
  });

  it("runs nothing if no sandbox works, and reports what was tried and which setting decides", async () => {
    const programs = { bwrap: "echo 'bwrap: no namespaces here' >&2; exit 1", docker: "exit 0" };
    await expect(chosen({}, programs)).rejects.toMatchObject({
      code: "SANDBOX_NONE",
      message: [
        "No sandbox works here, so nothing was run:",
        "  bubblewrap: bwrap: no namespaces here",
        "  docker: [sandbox] image is not set",
        "  podman: podman is not on the PATH",
        'Install bubblewrap, or set [sandbox] image and start docker or podman. `[sandbox] executor = "local"` in ~/.scorel/config.toml (or --sandbox local) runs programs without a sandbox.',
      ].join("\n"),
    });
  });

  it("runs nothing without a temporary folder, and reports it", async () => {
    const leave = () => void vi.stubEnv("TMPDIR", "/nowhere");
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(chosen({ executor: "bubblewrap" }, { bwrap: "exit 0" }, undefined, leave)).rejects.toThrow(
      "bubblewrap: The folder for temporary files, TMPDIR=/nowhere, cannot be used (ENOENT).",
    );
  });

  it("does not pull a missing image", async () => {
    const docker = 'case "$1" in info) echo "[]"; exit 0;; image) exit 1;; esac; touch "$(dirname "$0")/pulled"';
    await expect(chosen({ executor: "docker", image: "tools" }, { docker })).rejects.toMatchObject({
      data: { tried: [{ executor: "docker", reason: "the image tools does not exist; build or pull it first" }] },
    });
  });
});

it("keeps its own files out of the session's temporary folder, which commands can write to", async () => {
  let temp = "";
  expect(await chosen({}, { bwrap: 'echo "$@" > "$PATH/asked"' }, "auto", (folder) => (temp = folder))).toBe(
    "bubblewrap",
  );
  expect(fs.readdirSync(temp).sort()).toEqual(["asked", "bwrap"]);
  const [, etc = ""] = /--ro-bind (\S+) \/etc /.exec(fs.readFileSync(join(temp, "asked"), "utf8")) ?? [];
  expect([fs.readdirSync(etc).includes("passwd"), etc.startsWith(temp)]).toEqual([true, false]);
});

describe("a configured executor", () => {
  it("is used even if it does not work", async () => {
    await expect(chosen({ executor: "podman", image: "tools" }, { bwrap: "exit 0" })).rejects.toMatchObject({
      data: { tried: [{ executor: "podman", reason: "podman is not on the PATH" }] },
    });
    expect(await chosen({ executor: "local" }, { bwrap: "exit 0" })).toBe("local");
  });

  it("is overridden by the option of a run", async () => {
    expect(await chosen({ executor: "bubblewrap" }, { bwrap: "exit 0" }, "local")).toBe("local");
  });
});
