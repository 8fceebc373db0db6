/**
 * The time that `skill_run` in bubblewrap adds to running the command directly, for a skill of a few files and for one
 * of a thousand; both alternate in one process. Also the time of the first run, which looks for the sandbox and copies
 * the skill.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createKernel, type Services } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import runner from "@scorel/runner";
import sandbox from "@scorel/sandbox";
import type { Skill } from "@scorel/skills/contract";
import tools from "@scorel/tools";
import { stage } from "../../plugins/runner/staging/staging.ts";
import { makeLayout } from "../../plugins/runner/workspace/layout.ts";
import { testHeader } from "../harness.ts";
// @ts-expect-error plain JavaScript, shared with the runner
import { median } from "./measure.mjs";

const RUNS = Number(process.env.BENCH_RUNS ?? 41);
const SETTLED_MS = 2_500;
const COMMAND = "python3 scripts/fib.py 10";
/** The environment inside the sandbox, so that the direct command finds the same programs. */
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/tmp", LANG: "C.UTF-8" };
const FIB = "import sys\na, b = 0, 1\nfor _ in range(int(sys.argv[1])):\n    print(a)\n    a, b = b, a + b\n";

const rows = [
  ...(await rowsOf("a small skill", 3)),
  ...(await rowsOf("a skill of 1,000 files", 1_000)),
  ...(await stagingRows(1_000)),
];
console.log(JSON.stringify(rows));

async function rowsOf(what: string, files: number) {
  await using t = await session(files);
  // Files that were written just before are read again each time, since their times would not show a further change.
  await delay(SETTLED_MS);
  const first = await took(t.skillRun);
  const samples: { own: number; bare: number }[] = [];
  for (let run = -1; run < RUNS; run++) {
    const [own, bare] = [await took(t.skillRun), await took(t.bare)];
    if (run >= 0) samples.push({ own, bare });
  }
  const added = median(samples.map(({ own, bare }) => own - bare));
  const bare = median(samples.map((sample) => sample.bare));
  return [
    { work: `skill_run in bubblewrap, beyond the bare command: ${what}`, value: added, unit: "ms", limit: 40 },
    { work: `its first run, against the bare command: ${what}`, value: first, baseline: bare, unit: "ms" },
  ];
}

/** User time of this process alone: system time for file access depends on the disk and on other processes. */
async function stagingRows(files: number) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "scorel-bench-")));
  const skill = { name: "math", ...skillFolder(home, files) } as Skill;
  await delay(SETTLED_MS);
  const firsts: number[] = [];
  const agains: number[] = [];
  for (let run = 0; run < 7; run++) {
    const layout = makeLayout(join(home, `workspace-${run}`));
    const [first, before] = cpuOf(() => stage(layout, skill, { isMounted: true }));
    firsts.push(first);
    agains.push(cpuOf(() => stage(layout, skill, { before, isMounted: true }))[0]);
  }
  rmSync(home, { recursive: true, force: true });
  const work = "own processor time to put a skill of 1,000 files into a workspace";
  return [
    { work: `${work}, the first time`, value: Math.min(...firsts), unit: "ms", was: "86 ms" },
    { work: `${work}, again`, value: Math.min(...agains), unit: "ms", limit: 40 },
  ];
}

function cpuOf<T>(work: () => T): [ms: number, answer: T] {
  const before = process.cpuUsage();
  const answer = work();
  return [process.cpuUsage(before).user / 1000, answer];
}

async function took(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function skillFolder(home: string, files: number): { folder: string; files: string } {
  const folder = join(home, "skill");
  mkdirSync(join(folder, "scripts"), { recursive: true });
  writeFileSync(join(folder, "scripts/fib.py"), FIB);
  for (let index = 1; index < files; index++) {
    mkdirSync(join(folder, `part-${index % 20}`), { recursive: true });
    writeFileSync(join(folder, `part-${index % 20}/${index}.md`), `${index}\n`.repeat(500));
  }
  return { folder, files: folder };
}

async function session(files: number) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "scorel-bench-")));
  const { folder } = skillFolder(home, files);
  mkdirSync(join(home, "temp"));
  const skill = { name: "math", folder, files: folder } as Skill;
  const services = {
    workspace: { cwd: home, root: home, home, temp: join(home, "temp"), file: join(home, "log") },
    skills: { look: { skills: [skill] }, sums: () => undefined },
  } as unknown as Partial<Services>;
  const config = { executor: "bubblewrap" };
  const kernel = await createKernel({
    entries: [
      { plugin: tools, origin: "bench" },
      { plugin: sandbox, origin: "bench", config },
      { plugin: runner, origin: "bench" },
    ],
    store: createMemoryStore(testHeader),
    services,
  });
  const tool = kernel.find("tools")?.get("skill_run");
  if (!tool) throw new Error("no tool skill_run");
  return {
    async skillRun() {
      const { content, isError } = await tool.execute("call", { skill: "math", command: COMMAND }, undefined);
      const { text } = content[0] as { text: string };
      if (isError || JSON.parse(text).exit_code !== 0) throw new Error(text);
    },
    async bare() {
      const child = spawn("bash", ["-c", COMMAND], { cwd: folder, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.resume();
      child.stderr.resume();
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`${COMMAND} exited ${code}`);
    },
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
