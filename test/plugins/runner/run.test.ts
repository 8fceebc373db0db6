import * as fs from "node:fs";
import { join } from "node:path";
import runner from "@scorel/runner";
import sandbox from "@scorel/sandbox";
import tools from "@scorel/tools";
import type { ToolsService } from "@scorel/tools/contract";
import { describe, expect, it, vi } from "vitest";
import { testKernel } from "../../harness.ts";
import { confines, itWith } from "../../optional.ts";
import { shop } from "./setup.ts";

const plain = {
  stdout: "",
  stderr: "",
  exit_code: 0,
  timed_out: false,
  duration_ms: expect.any(Number),
  output_files: [],
};

/** `${name}` with a suffix. */
const braced = (name: string, rest: string) => `$\{${name}}${rest}`;

describe("a command of a skill", () => {
  itWith("python", "runs in the skill's folder, and its files in out/ are returned", async () => {
    await using t = await shop();
    expect(await t.run({ command: "python3 scripts/fib.py 10 > out/fib.txt", output_files: ["out/*.txt"] })).toEqual({
      ...plain,
      output_files: [
        {
          name: "out/fib.txt",
          ref: "workspace://out/fib.txt",
          content: "0\n1\n1\n2\n3\n5\n8\n13\n21\n34\n",
          mime_type: "text/plain",
          size_bytes: 23,
        },
      ],
      primary_output: expect.objectContaining({ name: "out/fib.txt" }),
      warnings: [expect.stringContaining("output_files are workspace-relative")],
    });
  });

  it("that fails is a result", async () => {
    await using t = await shop();
    expect(await t.run({ command: "echo no >&2; exit 3" })).toEqual({ ...plain, stderr: "no\n", exit_code: 3 });
  });

  it("knows its folders and its name, and finds the links to them", async () => {
    await using t = await shop();
    const { stdout } = await t.run({
      command:
        'pwd; echo "$SKILL_NAME"; cd "$WORKSPACE_DIR"; for d in "$SKILLS_DIR" "$WORK_DIR" "$OUTPUT_DIR" "$RUN_DIR"; do echo "$d"; done',
    });
    expect(stdout.replaceAll(`${t.workspace}/`, "").replace(/run_[\w.]+$/m, "run")).toBe(
      "skills/math\nmath\nskills\nwork\nout\nruns/run\n",
    );
    const { exit_code } = await t.run({ command: "echo 1 > out/a; echo 2 > work/b; echo 3 > inputs/c" });
    const at = (path: string) => fs.readFileSync(join(t.workspace, path), "utf8");
    expect([exit_code, at("out/a"), at("work/b"), at("work/inputs/c")]).toEqual([0, "1\n", "2\n", "3\n"]);
  });

  it("gets its own variables and input, and no host variables", async () => {
    vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
    vi.stubEnv("OTHER_TOKEN", "another-token");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } });
    const told = await t.run({
      command: 'read -r line; echo "$line $A"; env | grep TOKEN',
      env: { A: "b" },
      stdin: "hello\n",
    });
    expect(told.stdout).toBe("hello b\nMATH_TOKEN=[redacted]\n");
    await t.skill("other");
    expect((await t.run({ skill: "other", command: "env | grep -c TOKEN" })).stdout).toBe("0\n");
    vi.unstubAllEnvs();
  });

  it("is killed after its time limit with everything it started", async () => {
    await using t = await shop();
    const began = performance.now();
    const { exit_code, timed_out } = await t.run({ command: "sleep 50 & sleep 50", timeout: 1 });
    expect([exit_code, timed_out]).toEqual([-1, true]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("returns the start of its output, cut between characters", async () => {
    await using t = await shop();
    const { stdout, stderr, warnings } = await t.run({
      command: "printf 'é%.0s' $(seq 9000); printf 'x%.0s' $(seq 20000) >&2",
    });
    expect([stdout, stderr, warnings]).toEqual([
      "é".repeat(8_192),
      "x".repeat(16_384),
      ["stdout truncated", "stderr truncated"],
    ]);
  });
});

describe("an invalid call", () => {
  it("says what is wrong", async () => {
    await using t = await shop();
    const told = async (request: Parameters<typeof t.run>[0]) => t.run(request).catch((thrown) => thrown.message);
    expect(await told({ command: " " })).toBe(
      "skill and command are required: pass the name of a skill and a command to run in it.",
    );
    expect(await told({ skill: "magic", command: "true" })).toBe("unknown skill: magic. The skills here are: math.");
    expect(await told({ command: "true", cwd: "../../.." })).toBe(
      'cwd "../../.." cannot be used: it leads out of the workspace.',
    );
    expect(await told({ command: "true", cwd: "/etc" })).toContain("it leads out of the workspace");
    expect(await told({ command: "true", cwd: "$HOME" })).toContain(
      "only WORKSPACE_DIR, SKILLS_DIR, WORK_DIR, OUTPUT_DIR, RUN_DIR are known",
    );
    expect(await told({ command: "true", cwd: "$WORK_DIRX" })).toContain("are known");
  });

  it("runs nothing when no sandbox works", async () => {
    await using t = await shop({}, "podman");
    await expect(t.run({ command: "true" })).rejects.toThrow("No sandbox works here");
  });

  it("reports a disk error, and runs after it is fixed", async () => {
    await using t = await shop();
    const blocked = t.g.file(".scorel/workspaces", "");
    await expect(t.run({ command: "true" })).rejects.toThrow(
      /^The workspace could not be prepared, so nothing was run: E[A-Z]+: .*workspaces/,
    );
    fs.rmSync(blocked);
    expect(await t.run({ command: "true" })).toEqual(plain);
  });
});

describe("the working directory of a command", () => {
  it.each([
    ["", "skills/math"],
    ["scripts", "skills/math/scripts"],
    ["$WORK_DIR", "work"],
    [braced("OUTPUT_DIR", "/deep/er"), "out/deep/er"],
    ["$SKILLS_DIR/math", "skills/math"],
    ["$WORKSPACE_DIR", "."],
    ["/work/sub", "work/sub"],
    ["/", "."],
  ])("%j is %s", async (cwd, expected) => {
    await using t = await shop();
    expect((await t.run({ command: "pwd", cwd })).stdout).toBe(`${join(t.workspace, expected)}\n`);
  });

  it("may be the run's folder, which differs for each run", async () => {
    await using t = await shop();
    const folders = await Promise.all([1, 2].map(() => t.run({ command: "pwd; echo 1 > made", cwd: "$RUN_DIR" })));
    expect(new Set(folders.map(({ stdout }) => stdout)).size).toBe(2);
    const last = await t.run({ command: "echo 2 > made", cwd: "$RUN_DIR", output_files: ["$RUN_DIR/*"] });
    expect(last.output_files.map(({ name, content }) => [name.replace(/run_[\w.]+/, "run"), content])).toEqual([
      ["runs/run/made", "2\n"],
    ]);
  });
});

describe("a skill in the workspace", () => {
  it("is staged once, and again when it has changed; installed packages stay", async () => {
    await using t = await shop();
    await t.run({
      command: "mkdir -p .venv/bin; printf '#!/bin/sh\\necho tool' > .venv/bin/tool; chmod +x .venv/bin/tool",
    });
    const staged = join(t.workspace, "skills/math/SKILL.md");
    const { ino } = fs.statSync(staged);
    expect((await t.run({ command: 'tool; basename "$VIRTUAL_ENV"' })).stdout).toBe("tool\n.venv\n");
    expect(fs.statSync(staged).ino).toBe(ino);
    await t.skill("math", { "scripts/new.sh": "echo new" });
    expect((await t.run({ command: "tool; sh scripts/new.sh" })).stdout).toBe("tool\nnew\n");
  });

  it("is staged again after a change that shows in neither size, time nor bytes", async () => {
    await using t = await shop();
    const script = t.g.file(".scorel/skills/math/scripts/say", "#!/bin/sh\necho one\n");
    const { atime, mtime } = fs.statSync(script);
    await t.run({ command: "true" });
    fs.writeFileSync(script, "#!/bin/sh\necho two\n");
    fs.utimesSync(script, atime, mtime);
    expect((await t.run({ command: "sh scripts/say" })).stdout).toBe("two\n");
    fs.chmodSync(script, 0o755);
    expect((await t.run({ command: "scripts/say" })).stdout).toBe("two\n");
  });

  it("cannot replace the links to the workspace's folders", async () => {
    await using t = await shop();
    await t.skill("math", { "out/shipped": "x", "work/shipped": "x", ".venv/bin/evil": "x" });
    expect((await t.run({ command: "ls out work/ .venv/" })).stdout).not.toMatch(/shipped|evil/);
  });

  it("cannot contain a link that leads out of it", async () => {
    await using t = await shop();
    fs.symlinkSync("/etc/passwd", join(t.g.home, ".scorel/skills/math/passwd"));
    await expect(t.run({ command: "true" })).rejects.toThrow("it is a link that leads out of the skill");
  });

  it("can have any name without leaving the workspace", async () => {
    await using t = await shop();
    await t.skill("ödd näme");
    const { stdout } = await t.run({ skill: "ödd näme", command: 'pwd; echo "$SKILL_NAME"' });
    expect(stdout.replace(`${t.workspace}/`, "")).toMatch(/^skills\/skill-[0-9a-f]{16}\nödd näme\n$/);
  });

  if (confines)
    it("cannot be changed by its programs, even as root", async () => {
      await using t = await shop();
      const tries = [
        "echo x >> SKILL.md",
        "chmod u+w SKILL.md",
        "rm -f SKILL.md",
        "mv ../math ../m",
        "ln -sfn /tmp out",
        "touch new",
      ];
      for (const command of tries) expect((await t.run({ command })).exit_code).not.toBe(0);
      const metadata = fs.readFileSync(join(t.workspace, "../metadata.json"), "utf8");
      await t.run({
        command: 'echo x >> "$SKILLS_DIR/math/scripts/fib.py"; echo x > "$WORKSPACE_DIR/../metadata.json"',
      });
      expect(fs.readFileSync(join(t.workspace, "../metadata.json"), "utf8")).toBe(metadata);
      expect(fs.readFileSync(join(t.workspace, "skills/math/scripts/fib.py"), "utf8")).toMatch(/^import sys\n/);
    });
});

describe("with lists of programs", () => {
  it("a name finds the system's program, not one that was installed under that name", async () => {
    await using t = await shop({ allow: ["cp", "ls", "mkdir"] });
    for (const command of ["mkdir .venv/bin", "cp /bin/echo .venv/bin/ls"])
      expect((await t.run({ command })).exit_code).toBe(0);
    expect((await t.run({ command: "ls scripts" })).stdout).toBe("fib.py\n");
  });
});

describe("without skills", () => {
  it("offers no tools and does not fail", async () => {
    await using t = await testKernel([tools, sandbox, runner]);
    expect(t.kernel.find("tools")?.list()).toEqual([]);
  });
});

describe("a person who watches", () => {
  it("sees a program's output while it runs, without secrets", async () => {
    vi.stubEnv("MATH_TOKEN", "s3cret-of-math");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } });
    const tool = (t.t.kernel.find("tools") as ToolsService).get("skill_run");
    const command = `echo "on $MATH_TOKEN"; until [ -e out/go ]; do sleep 0.02; done; echo off`;
    const seen: string[] = [];
    const result = await tool?.execute("call", { skill: "math", command }, undefined, ({ content: [block] }) => {
      seen.push(block?.type === "text" ? block.text : "");
      fs.writeFileSync(join(t.workspace, "out/go"), "");
    });
    expect([seen[0], seen.at(-1)]).toEqual(["on [redacted]\n", "on [redacted]\noff\n"]);
    expect(JSON.stringify(result)).toContain("off");
    vi.unstubAllEnvs();
  });

  it("sees a program's output, how it ended, and its files", async () => {
    await using t = await shop();
    const known = t.t.kernel.find("tools") as ToolsService;
    const drawn = async (command: string) => {
      const args = { skill: "math", command, output_files: ["out/*"] };
      return known.display("skill_run", args, await known.get("skill_run")?.execute("call", args, undefined));
    };
    const card = { display: "card", status: "done" };
    expect(await drawn("echo one; echo two >&2; echo 1 > out/a; exit 3")).toEqual({
      ...card,
      title: "math $ echo one; echo two >&2; echo 1 > out/a; exit 3",
      text: "one\ntwo\n[exit code 3; out/a]",
    });
    expect(await drawn("true")).toEqual({ ...card, title: "math $ true", text: "[exit code 0; out/a]" });
  });
});
