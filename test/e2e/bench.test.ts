import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("refuses an unknown benchmark, and lists the known ones", () => {
  const script = join(import.meta.dirname, "../bench/run.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "no such row"], { encoding: "utf8" });
  expect({ status, stdout, lines: stderr.split("\n").slice(0, 1) }).toEqual({
    status: 2,
    stdout: "",
    lines: ['No row is named "no such row". The rows and scripts are:'],
  });
  expect(stderr).toContain("\n  scorel --version\n");
});
