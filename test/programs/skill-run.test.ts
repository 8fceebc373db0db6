import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { executor, itWith } from "../optional.ts";

itWith("python", "a shipped skill's script runs, its file is kept, and a later process reads it", async () => {
  const run = {
    skill: "python-math",
    command: "python3 scripts/fib.py 10 > out/fib.txt",
    output_files: ["out/*.txt"],
    save_as_artifacts: true,
  };
  const replies = [
    toolCall("skill_load", { skill: "python-math" }),
    toolCall("skill_run", run),
    toolCall("skill_run", {
      skill: "python-math",
      command: "wc -l < inputs/fib.txt > out/count",
      inputs: [{ from: "artifact://out/fib.txt" }],
      outputs: { globs: ["out/count"], save: true },
    }),
    text("55 is not among them."),
    toolCall("Read", { file_path: "workspace://out/fib.txt" }),
    text("34 is the last."),
  ];
  await using server = await startModelServer(() => replies.shift() ?? text("Done."));
  using s = scratch();
  s.useModel(server.baseUrlFor("openai-completions"));
  const first = await s.run(["-p", "the first ten?", "--sandbox", executor]);
  expect(first).toMatchObject({ code: 0, stdout: "55 is not among them.\n", stderr: "" });
  const second = await s.run(["-p", "and the last?", "--continue", "--sandbox", executor]);
  expect(second).toMatchObject({ code: 0, stdout: "34 is the last.\n" });
  const told = server.requests.map(({ body }) => JSON.stringify(body.messages.at(-1)));
  expect(told[2]).toContain('\\"exit_code\\":0');
  expect(told[2]).toContain('\\"artifact_files\\":[{\\"name\\":\\"out/fib.txt\\",\\"version\\":0}]');
  expect(told[5]).toContain("10\\t34");
  expect((await s.run(["artifact", "get", "out/fib.txt"])).stdout).toBe("0\n1\n1\n2\n3\n5\n8\n13\n21\n34\n");
  expect((await s.run(["artifact", "lineage", "out/fib.txt"])).stdout).toContain(`command: ${run.command}\n`);
  const lineage = (await s.run(["artifact", "lineage", "out/count"])).stdout.replaceAll(/[0-9a-f]{64}/g, "hash");
  expect(lineage).toBe(
    [
      "out/count@0  3 bytes  sha256 hash",
      "saved by: runner",
      "skill: python-math (hash)",
      "command: wc -l < inputs/fib.txt > out/count",
      "input: artifact://out/fib.txt as work/inputs/fib.txt (sha256 hash)",
      `  = out/fib.txt@0  skill python-math $ ${run.command}`,
      "",
    ].join("\n"),
  );

  const replay = ["artifact", "replay", "out/fib.txt", "--sandbox", executor];
  expect(await s.run(replay)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^out\/fib\.txt@0: the same again \(exit code 0, 1 file\)\nsame: out\/fib\.txt \(sha256 [0-9a-f]{64}\)\n$/,
    ),
    stderr: "",
  });
});

itWith("python", "a file that differs in each run is named, and the replay exits 3", async () => {
  const command = "python3 -c 'import time; print(time.time_ns())' > out/now.txt";
  const run = { skill: "python-math", command, outputs: { globs: ["out/*"], save: true } };
  const replies = [toolCall("skill_run", run), text("Done.")];
  await using server = await startModelServer(() => replies.shift() ?? text("Done."));
  using s = scratch();
  s.useModel(server.baseUrl);
  expect(await s.run(["-p", "now?", "--sandbox", executor])).toMatchObject({ code: 0, stderr: "" });
  const replay = ["artifact", "replay", "out/now.txt", "--sandbox", executor];
  const [told, json] = [await s.run(replay), await s.run([...replay, "--output", "json"])];
  expect([told.code, told.stdout.split("\n").slice(0, 2), told.stderr]).toEqual([
    3,
    ["out/now.txt@0: not the same", expect.stringMatching(/^differs: out\/now\.txt/)],
    "",
  ]);
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([
    3,
    { name: "out/now.txt", version: 0, same: false, exitCode: { before: 0, now: 0 }, changed: [] },
  ]);
});

itWith(
  "python",
  "a person runs a skill's program with the streams of the terminal, and gets its exit code",
  async () => {
    using s = scratch();
    const run = (...words: string[]) => ["skill", "run", "python-math", "--sandbox", executor, ...words];
    s.file("note", "noted\n");
    const command = "cat; cat inputs/note >&2; python3 scripts/fib.py 4 > out/fib.txt; exit 7";
    expect(
      await s.run(run("--input", "note", "--out", "res", "--", "sh", "-c", command), { input: "told" }),
    ).toMatchObject({
      code: 7,
      stdout: "told",
      stderr: `noted\nscorel: wrote ${s.project}/res/fib.txt (8 bytes)\n`,
    });
    expect(readFileSync(join(s.project, "res/fib.txt"), "utf8")).toBe("0\n1\n1\n2\n");

    const told = await s.run(run("--json", "--timeout", "2", "echo said; sleep 20"));
    expect([told.code, JSON.parse(told.stdout), told.stderr]).toEqual([
      124,
      expect.objectContaining({ stdout: "said\n", exit_code: -1, timed_out: true, output_files: [] }),
      "scorel: the program was ended: its time limit was reached\n",
    ]);

    if (existsSync("/dev/full")) {
      const full = openSync("/dev/full", "w");
      const unwritten = await s.run(run("echo said"), { stdout: full });
      closeSync(full);
      expect([unwritten.code, unwritten.stderr]).toEqual([1, expect.stringContaining("could not be written: ENOSPC")]);
    }

    const running = s.start(run("echo on; sleep 20 & sleep 20"));
    await running.line((line) => line === "on");
    running.child.kill("SIGINT");
    expect(await running.finished).toMatchObject({ code: 130, stderr: "scorel: the program was ended\n" });

    const TMPDIR = join(s.home, "tmp");
    mkdirSync(TMPDIR);
    const ended = s.start(run("echo on; yes"), { env: { TMPDIR } });
    await ended.line((line) => line === "on");
    ended.child.kill("SIGTERM");
    expect((await ended.finished).code).toBe(143);
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith("scorel-run-"))).toEqual([]);
    expect(existsSync(join(s.home, ".scorel/sessions"))).toBe(false);
  },
);

itWith("python", "a project's skills run for a person only when the project is trusted", async () => {
  using s = scratch();
  s.file(".scorel/skills/ours/SKILL.md", "---\nname: ours\ndescription: Ours.\n---\n\nRun it.\n");
  const words = ["skill", "run", "ours", "--sandbox", executor, "echo $SKILL_NAME"];
  expect(await s.run(words)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("The skill ours is not used, because its project is not trusted"),
  });
  expect(await s.run([...words, "--trust"])).toMatchObject({ code: 0, stdout: "ours\n", stderr: "" });
});
