import * as fs from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { type Shop, shop } from "../plugins/runner/setup.ts";
import type { ExecutorCase } from "./sandbox.ts";

/**
 * What a skill's program can use and change, for every executor. The cases share few runs, since starting a container is slow.
 */
export function runnerContract({ executor, confines, config = {} }: ExecutorCase): void {
  const open = (table: object = {}) => shop(table, executor, [], { table: config });

  it("runs in its skill's folder with the given input and environment; its files are listed and belong to the user", async () => {
    vi.stubEnv("MATH_TOKEN", "a-token-of-the-user");
    await using t = await open({ env: { math: ["MATH_TOKEN"] } });
    const from = await inputs(t);
    const told = await t.run({
      command: FINDS,
      env: { GIVEN: "a b'\"$HOME" },
      stdin: "a line\n",
      inputs: from,
      output_files: ["out/**"],
    });
    const found = Object.fromEntries(told.stdout.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
    expect(found).toEqual({
      "": undefined,
      ...{ at: join(t.workspace, "skills/math"), links: "work inputs out", name: "math", given: "a b'\"$HOME" },
      ...{ token: "[redacted]", other: "", line: "a line", tool: "installed" },
      inputs: "artifact host skill workspace",
    });
    expect([told.exit_code, told.stderr]).toEqual([0, ""]);
    expect(told.output_files.map(({ name, content }) => [name, content])).toEqual([
      ["out/a b'\"$c", "odd\n"],
      ["out/two\nlines", "odd\n"],
    ]);
    await t.skill("math", { "scripts/new.sh": "echo new; tool; rm ../../out/two*" });
    expect((await t.run({ command: "sh scripts/new.sh" })).stdout).toBe("new\ninstalled\n");
    const mine = fs.lstatSync(join(t.workspace, "out/a b'\"$c"));
    expect([mine.uid, fs.readdirSync(join(t.workspace, "out"))]).toEqual([process.getuid?.(), ["a b'\"$c"]]);
    for (const path of ["out", "work", "skills"]) fs.rmSync(join(t.workspace, path), { recursive: true });
    vi.unstubAllEnvs();
  });

  it("is ended at its time limit with everything that it started, and its output is limited", async () => {
    await using t = await open();
    const began = performance.now();
    const ended = await t.run({ command: "(setsid sleep 50 &); sleep 50 & sleep 50", timeout: 1 });
    expect([ended.exit_code, ended.timed_out, ended.duration_ms >= 1_000]).toEqual([-1, true, true]);
    expect(ended.duration_ms).toBeLessThanOrEqual(performance.now() - began);
    expect(performance.now() - began).toBeLessThan(20_000);
    const { stdout, warnings } = await t.run({ command: "seq 200000; exit 3" });
    expect([stdout.length, warnings]).toEqual([16_384, ["stdout truncated"]]);
  });

  if (confines)
    it("can change no skill, reach no host, and link to nothing outside of the workspace", async () => {
      await using t = await open();
      const server = net.createServer();
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const { port } = server.address() as net.AddressInfo;
      const tries = [
        "echo x >> SKILL.md",
        "chmod u+w SKILL.md",
        "rm -f scripts/fib.py",
        "mv ../math ../m",
        "echo x > new",
        'echo x > "$SKILLS_DIR/new"',
        "cat /etc/shadow",
        `ls ${t.g.project}`,
        `(echo > /dev/tcp/127.0.0.1/${port})`,
      ];
      const attempts = tries.map((each) => `{ ${each}; } >/dev/null 2>&1 && echo '${each.replaceAll("'", "")}'`);
      const leave = `ln -s /etc/passwd out/passwd; ln -s ${t.g.project}/secret out/secret; echo 1 > out/a`;
      t.g.file("project/secret", "secret");
      const { stdout, output_files, warnings } = await t.run({
        command: `${attempts.join("; ")}; ${leave}`,
        output_files: ["out/*"],
      });
      server.close();
      expect([stdout, output_files.map(({ name }) => name)]).toEqual(["", ["out/a"]]);
      const left = (name: string) => `${name} was skipped: it leads out of the workspace, or is not a file`;
      expect(warnings?.slice(0, 2)).toEqual([left("out/passwd"), left("out/secret")]);
    });

  // The container engines of the tests have no network bridge.
  if (executor === "bubblewrap")
    it("has network access only if its skill was granted it", async () => {
      await using t = await open({ network: ["math"] });
      await t.skill("other");
      const server = net.createServer((socket) => socket.end());
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
      const command = `(echo > /dev/tcp/127.0.0.1/${(server.address() as net.AddressInfo).port}) 2>/dev/null && echo reached`;
      const said = [await t.run({ command }), await t.run({ command, skill: "other" })].map(({ stdout }) => stdout);
      server.close();
      expect(said).toEqual(["reached\n", ""]);
    });
}

const FINDS = `echo "at=$PWD"; echo "links=$(test -L work && echo work) $(test -L inputs && echo inputs) $(test -L out && echo out)"
echo "name=$SKILL_NAME"; echo "given=$GIVEN"; echo "token=$MATH_TOKEN"; echo "other=$SCOREL_TEST_KEY"; read -r line; echo "line=$line"
mkdir -p .venv/bin; printf '#!/bin/sh\\necho installed\\n' > .venv/bin/tool; chmod +x .venv/bin/tool; echo "tool=$(tool)"
echo "inputs=$(cat inputs/artifact) $(cat inputs/host/a) $(cat inputs/skill) $(cat inputs/workspace)"
echo odd > "out/a b'\\"\\$c"; echo odd > 'out/two
lines'`;

/** One file of each type, which contains the name of its type. */
async function inputs(t: Shop) {
  t.g.file("project/folder/a", "host");
  t.g.file(".scorel/skills/math/kind", "skill");
  await t.artifacts.save({ name: "kept", content: Buffer.from("artifact"), mimeType: "text/plain" });
  fs.mkdirSync(join(t.workspace, "work"), { recursive: true });
  fs.writeFileSync(join(t.workspace, "work/made"), "workspace");
  return [
    { from: "artifact://kept", to: "inputs/artifact" },
    { from: `host://${t.g.project}/folder`, to: "inputs/host" },
    { from: "skill://math/kind", to: "inputs/skill" },
    { from: "workspace://work/made", to: "inputs/workspace", mode: "link" as const },
  ];
}
