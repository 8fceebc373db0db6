import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { confines } from "../../optional.ts";
import { type Shop, shop } from "./setup.ts";

/** The reason for which a run is refused, as the model gets it. */
const refused = (t: Shop, request: Parameters<Shop["run"]>[0]) =>
  t.run(request).then(
    () => "done",
    (thrown: Error) => thrown.message,
  );

// Each case was a defect of the system that this behaviour follows; docs/decisions lists the others.
describe("guarantees for programs of skills", () => {
  it("1: a file of the host can be an input, by its name", async () => {
    await using t = await shop();
    const file = t.g.file("project/notes.txt", "notes");
    expect((await t.run({ command: "cat inputs/notes.txt", inputs: [{ from: `host://${file}` }] })).stdout).toBe(
      "notes",
    );
  });

  it("2: a time limit kills the program and its children, and the reported time is correct", async () => {
    await using t = await shop();
    const began = performance.now();
    const { timed_out, duration_ms } = await t.run({ command: "sleep 60 & sleep 60", timeout: 1 });
    const took = performance.now() - began;
    expect([timed_out, took < 30_000, duration_ms >= 1_000, duration_ms <= took]).toEqual([true, true, true, true]);
  });

  if (confines)
    it("3: a skill cannot be written to, even by root", async () => {
      await using t = await shop();
      const { exit_code, stderr } = await t.run({ command: "id -u; chmod u+w SKILL.md; echo no >> SKILL.md" });
      expect([exit_code, stderr]).toEqual([1, expect.stringContaining("Read-only file system")]);
    });

  it("4: no name leads out of the workspace, and targets of links are not removed", async () => {
    await using t = await shop();
    const victim = t.g.file("victim/kept", "kept");
    await t.run({ command: `echo 1 > work/made; ln -s ${t.g.home}/victim work/door` });
    const from = "workspace://work/made";
    for (const input of [
      { from: "workspace://../../../../../etc/passwd" },
      { from: "skill://math/../../../../x" },
      { from: "skill://../math" },
      { from, to: "../../x" },
      { from, to: "work/door/kept", mode: "link" as const },
      { from, to: "work/../../victim", mode: "link" as const },
    ])
      expect(await refused(t, { command: "true", inputs: [input] })).toMatch(/leads out|there is no skill|must be in/);
    expect(await t.run({ command: "true", inputs: [{ from, to: "work/door", mode: "link" }] })).toMatchObject({
      exit_code: 0,
    });
    expect(readFileSync(victim, "utf8")).toBe("kept");
    t.g.file(".scorel/skills/evil/SKILL.md", "---\nname: ../../x\ndescription: d\n---\nText");
    await t.skill("other");
    await t.run({ skill: "evil", command: "true" });
    expect(readdirSync(join(t.workspace, "skills")).sort()).toEqual(["evil", "math"]);
  });

  it("5: the target of a link in out/ is neither returned nor stored", async () => {
    await using t = await shop();
    const outside = t.g.file("outside", "secret");
    const told = await t.run({
      command: `ln -s ${outside} out/p; ln -s /etc/passwd out/q`,
      output_files: ["out/*"],
      save_as_artifacts: true,
    });
    expect([told.output_files, told.artifact_files, t.artifacts.list()]).toEqual([[], [], []]);
    expect(JSON.stringify(told)).not.toMatch(/secret|root:/);
  });

  it("6: only project files can be inputs, no host variable is passed on, and output uses no memory", async () => {
    await using t = await shop();
    process.env.DEFECT_KEY = "a key of the user";
    const outside = t.g.file("outside", "secret");
    expect(await refused(t, { command: "true", inputs: [{ from: `host://${outside}` }] })).toContain(
      "outside of the folders for inputs",
    );
    const before = process.memoryUsage().rss;
    const { stdout } = await t.run({ command: "env; head -c 400000000 /dev/zero | tr '\\0' x" });
    delete process.env.DEFECT_KEY;
    expect(stdout).not.toContain("a key of the user");
    expect([stdout.length, process.memoryUsage().rss - before < 250_000_000]).toEqual([16_384, true]);
  });

  it("7: names may contain blanks, quotes, commands and line breaks", async () => {
    await using t = await shop();
    const odd = `a 'b' "c" $(touch x) ; d\ne*.txt`;
    t.g.file(`project/${odd}`, "odd");
    const told = await t.run({
      command: "cp inputs/* out/",
      inputs: [{ from: `host://${t.g.project}/${odd}` }],
      output_files: ["out/a 'b'*", "none *.txt"],
    });
    expect(told.output_files.map(({ name, content }) => [name, content])).toEqual([[`out/${odd}`, "odd"]]);
    expect(existsSync(join(t.workspace, "skills/math/x"))).toBe(false);
  });

  it("8: concurrent runs share a workspace, have their own folders, and are all recorded", async () => {
    await using t = await shop();
    await t.skill("other");
    const runs = ["math", "other", "math", "other", "math", "other"].map((skill, at) =>
      t.run({
        skill,
        command: 'echo "$RUN_DIR"',
        inputs: [{ from: `host://${t.g.file(`project/${at}.txt`, String(at))}` }],
      }),
    );
    const folders = (await Promise.all(runs)).map(({ stdout }) => stdout.trim());
    expect(new Set(folders).size).toBe(6);
    expect(readdirSync(join(t.g.home, ".scorel/workspaces"))).toHaveLength(1);
    const { skills, inputs } = JSON.parse(readFileSync(join(t.workspace, "../metadata.json"), "utf8"));
    expect([Object.keys(skills).sort(), inputs.map(({ to }: { to: string }) => to).sort()]).toEqual([
      ["math", "other"],
      Array.from({ length: 6 }, (_, at) => `work/inputs/${at}.txt`),
    ]);
  });

  it("10: files of a run are found in later turns, whether collected or not", async () => {
    await using t = await shop();
    await t.run({ command: "echo 1 > out/told; echo 2 > work/untold", output_files: ["out/*"] });
    await t.run({ command: "true" });
    for (const [name, content] of [
      ["out/told", 1],
      ["work/untold", 2],
    ])
      expect(await t.read({ file_path: `workspace://${name}` })).toContain(`1\t${content}`);
  });
});
