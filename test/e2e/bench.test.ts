import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { findPi, PI_INPUT_LINE, piRow } from "../bench/pi.ts";
import { Terminal } from "../bench/terminal-stage.ts";
import { itWith } from "../optional.ts";
import { temporaryFolder } from "../temporary-folder.ts";

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

itWith("script", "measures the first screen of pi if it is installed, and otherwise says that it is not", async () => {
  const folder = temporaryFolder("bench-");
  const rule = "─".repeat(20);
  const pi = join(folder, "pi");
  const version = 'if [ "$1" = --version ]; then echo 0.87.0; exit; fi';
  writeFileSync(pi, `#!/bin/sh\n${version}\nprintf '${rule}\\n\\n${rule}'\nread -r line\n`, { mode: 0o755 });
  expect([
    findPi({ PATH: `/nowhere:${folder}` }),
    findPi({ SCOREL_BENCH_PI: pi }),
    findPi({ PATH: "/nowhere" }),
  ]).toEqual([pi, pi, undefined]);
  await using terminal = new Terminal(folder, [pi]);
  expect(await terminal.shows(PI_INPUT_LINE)).toBeGreaterThan(terminal.started);
  expect([piRow(pi, 200, [320, 310]), piRow(undefined, 200, [])]).toEqual([
    { work: "terminal: first picture, against that of pi 0.87.0", value: 200, baseline: 310 },
    { work: "terminal: first picture, against that of pi", missing: "pi is not installed" },
  ]);
});
