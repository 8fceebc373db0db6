import * as fs from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hash, shop } from "./setup.ts";

const names = (files: readonly { name: string }[]) => files.map(({ name }) => name);

describe("outputs", () => {
  it("are found by globs, by name, once each", async () => {
    await using t = await shop();
    const command =
      "mkdir -p out/deep/er; for f in b.txt a.txt .dot deep/er/c.txt; do echo $f > out/$f; done; ln -s a.txt out/z.txt";
    const asked = (globs: string[]) =>
      t.run({ command: "true", output_files: globs }).then(({ output_files }) => names(output_files));
    await t.run({ command });
    expect(await asked(["out/**"])).toEqual(["out/.dot", "out/a.txt", "out/b.txt", "out/deep/er/c.txt"]);
    expect(await asked(["$OUTPUT_DIR/*.txt", `$\{OUTPUT_DIR}/a*`])).toEqual(["out/a.txt", "out/b.txt"]);
    const globs = ["../*", "/etc/*", "skills/math/out/*"];
    expect(await t.run({ command: "true", output_files: [...globs, "work/**"] })).toMatchObject({
      output_files: [],
      warnings: globs.map((glob) => `no file of the workspace matches ${glob}`),
    });
  });

  it("are listed with their types, and with content only for text", async () => {
    await using t = await shop();
    const command = `cd out; printf '{"a":1}' > a.json; printf '\\x89PNG\\r\\n' > b.png; printf 'a\\0b' > c.bin; printf '\\xff\\xfe' > d.txt; : > e.csv`;
    const { output_files, primary_output } = await t.run({ command, output_files: ["out/*"] });
    expect(
      output_files.map(({ name, mime_type, content, size_bytes }) => [name, mime_type, size_bytes, content]),
    ).toEqual([
      ["out/a.json", "application/json", 7, '{"a":1}'],
      ["out/b.png", "image/png", 6, undefined],
      ["out/c.bin", "application/octet-stream", 3, undefined],
      ["out/d.txt", "application/octet-stream", 2, undefined],
      ["out/e.csv", "text/csv", 0, ""],
    ]);
    expect(primary_output?.name).toBe("out/a.json");
  });

  it("are limited in number and size, with a warning about the rest", async () => {
    await using t = await shop();
    await t.run({ command: "cd out; for i in 1 2 3 4; do printf 'é%.0s' $(seq 10) > $i.txt; done" });
    const few = await t.run({
      command: "true",
      outputs: { globs: ["out/*"], inline: true, max_files: 2, max_file_bytes: 5 },
    });
    expect(
      few.output_files.map(({ name, content, truncated, size_bytes }) => [name, content, truncated, size_bytes]),
    ).toEqual([
      ["out/1.txt", "éé", true, 20],
      ["out/2.txt", "éé", true, 20],
    ]);
    expect(few.warnings?.[0]).toContain("the first one left out is out/3.txt");
    const older = { globs: ["out/*"], MaxFiles: 3, Inline: true, max_files: 1 };
    expect((await t.run({ command: "true", outputs: older as never })).output_files).toHaveLength(1);
  });

  it("are listed without content on request", async () => {
    await using t = await shop();
    const request = { command: "echo hi > out/a.txt", output_files: ["out/*"], omit_inline_content: true };
    const { output_files, primary_output } = await t.run(request);
    const file = { name: "out/a.txt", ref: "workspace://out/a.txt", mime_type: "text/plain", size_bytes: 3 };
    expect([output_files, primary_output]).toEqual([[file], file]);
    const { output_files: none, primary_output: best } = await t.run({ command: "echo ho > out/b.txt" });
    expect([none, best?.name, best?.content]).toEqual([[], "out/b.txt", "ho\n"]);
  });

  it("are returned once: a primary output repeats neither output_files nor files of an earlier run", async () => {
    await using t = await shop();
    const asked = await t.run({ command: "echo hi > out/a.txt", output_files: ["out/*"] });
    expect(asked.output_files.map(({ content }) => content)).toEqual(["hi\n"]);
    expect(asked.primary_output).toEqual({
      name: "out/a.txt",
      ref: "workspace://out/a.txt",
      mime_type: "text/plain",
      size_bytes: 3,
    });
    expect((await t.run({ command: "cat $OUTPUT_DIR/a.txt" })).primary_output).toBeUndefined();
    const many = "for i in $(seq 30); do echo $i > out/c$i.txt; done; touch -d 2001-01-01 out/c9.txt";
    expect((await t.run({ command: many })).primary_output?.name).toBe("out/c1.txt");
    const last = await t.run({ command: "echo z > out/z.txt; touch -d 2001-01-01 out/z.txt" });
    expect(last.primary_output).toMatchObject({ name: "out/z.txt", content: "z\n" });
  });

  it("do not follow links out of the workspace", async () => {
    await using t = await shop();
    fs.mkdirSync(join(t.workspace, "out"), { recursive: true });
    fs.symlinkSync("/etc/passwd", join(t.workspace, "out/p"));
    fs.symlinkSync("/etc", join(t.workspace, "out/folder"));
    const { output_files, warnings } = await t.run({ command: "mkfifo out/fifo", output_files: ["out/**"] });
    expect(output_files).toEqual([]);
    expect(warnings).toEqual(
      ["out/fifo", "out/p"].map((name) => `${name} was skipped: it leads out of the workspace, or is not a file`),
    );
  });

  it("whose names are not UTF-8 are left out with a warning", async () => {
    await using t = await shop();
    const { output_files, warnings } = await t.run({
      command: String.raw`printf x > "$(printf 'out/a\377')"`,
      output_files: ["out/*"],
    });
    expect([output_files, warnings]).toEqual([[], ["out/a\ufffd was skipped: its name is not UTF-8"]]);
  });

  it("that a failed command left empty are left out", async () => {
    await using t = await shop();
    const { output_files, warnings } = await t.run({
      command: ": > out/a; echo b > out/b; exit 1",
      output_files: ["out/*"],
    });
    expect([names(output_files), warnings?.[0]]).toEqual([
      ["out/b"],
      "empty output_files omitted because command failed",
    ]);
  });
});

describe("saved outputs", () => {
  it("are artifacts with their lineage", async () => {
    await using t = await shop();
    const request = {
      command: "cp inputs/n.txt out/r.txt",
      output_files: ["out/*"],
      save_as_artifacts: true,
      artifact_prefix: "pref/",
    };
    fs.writeFileSync(join(t.g.project, "notes.txt"), "notes");
    const inputs = [{ from: `host://${t.g.project}/notes.txt`, to: "inputs/n.txt" }];
    expect((await t.run({ ...request, inputs })).artifact_files).toEqual([{ name: "pref/out/r.txt", version: 0 }]);
    expect((await t.run({ ...request, omit_inline_content: true })).artifact_files).toEqual([
      { name: "pref/out/r.txt", version: 1 },
    ]);
    const saved = t.artifacts.load("pref/out/r.txt", 0);
    expect([saved?.content.toString(), saved?.lineage]).toEqual([
      "notes",
      {
        by: "runner",
        skill: { name: "math", digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
        command: request.command,
        inputs: [{ from: inputs[0]?.from, to: "work/inputs/n.txt", sha256: hash("notes") }],
        run: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    ]);
  });

  it("whose names no artifact can have are not saved, with a warning", async () => {
    await using t = await shop();
    const outputs = { globs: ["out/*"], save: true };
    const { artifact_files, warnings } = await t.run({ command: "echo a > out/a@1; echo s > out/b", outputs });
    expect([artifact_files, warnings]).toEqual([
      [{ name: "out/b", version: 0 }],
      [expect.stringMatching(/^cannot save output file: out\/a@1: "out\/a@1" is not a valid artifact name\. /)],
    ]);
  });

  it("are complete, or not saved", async () => {
    await using t = await shop();
    const outputs = { globs: ["out/*"], save: true, max_file_bytes: 3 };
    const { artifact_files, warnings } = await t.run({ command: "echo long > out/a; echo s > out/b", outputs });
    expect([artifact_files, warnings]).toEqual([
      [{ name: "out/b", version: 0 }],
      ["cannot save truncated output file: out/a"],
    ]);
  });
});

describe("inputs", () => {
  it("come from the project, the workspace, skills and artifacts", async () => {
    await using t = await shop();
    fs.mkdirSync(join(t.g.project, "data dir"));
    fs.writeFileSync(join(t.g.project, "data dir/a#b.txt"), "host");
    await t.artifacts.save({ name: "report.txt", content: Buffer.from("artifact"), mimeType: "text/plain" });
    await t.run({ command: "echo workspace > work/made" });
    const { stdout, stderr } = await t.run({
      command: 'cd inputs; cat "data dir/a#b.txt"; cat report.txt made; cat linked; head -1 skill.py',
      inputs: [
        { from: `host://${t.g.project}/data dir` },
        { from: "artifact://report.txt@0" },
        { from: "workspace://work/made", to: "inputs/made" },
        { from: "workspace://work/made", to: "work/inputs/linked", mode: "link" },
        { from: "skill://math/scripts/fib.py", to: "inputs/skill.py" },
      ],
    });
    expect([stdout, stderr]).toEqual(["hostartifactworkspace\nworkspace\nimport sys\n", ""]);
  });

  it("can come from a skill that was never run, in its current state", async () => {
    await using t = await shop();
    await t.skill("forms", { "data/form.txt": "one" });
    const inputs = [{ from: "skill://forms/data/form.txt" }];
    const cat = async () => (await t.run({ command: "cat inputs/form.txt", inputs })).stdout;
    expect(await cat()).toBe("one");
    await t.skill("forms", { "data/form.txt": "two" });
    expect(await cat()).toBe("two");
  });

  it("keep the first version of an artifact when pinned", async () => {
    await using t = await shop();
    const save = (content: string) =>
      t.artifacts.save({ name: "a", content: Buffer.from(content), mimeType: "text/plain" });
    const cat = (pin: boolean, from = "artifact://a") =>
      t.run({ command: "cat inputs/a", inputs: [{ from, pin }] }).then(({ stdout }) => stdout);
    await save("one");
    expect(await cat(true)).toBe("one");
    await save("two");
    expect([await cat(true), await cat(false), await cat(true, "artifact://a@0")]).toEqual(["one", "two", "one"]);
  });

  it.each([
    ["host:///etc/passwd", undefined, "outside of the folders for inputs"],
    ["host://../x", undefined, "not an absolute path"],
    ["workspace://../../etc/passwd", undefined, "leads out of the workspace"],
    ["skill://../../etc/passwd", undefined, "there is no skill"],
    ["skill://math/../../../x", undefined, "leads out of the workspace"],
    ["artifact://none", undefined, "there is no such artifact"],
    ["https://example.com/x", undefined, "begins with none of"],
    ["workspace://work/made", "../../x", "inputs must be in work/ or out/"],
    ["workspace://work/made", "work/../../x", "leads out of the workspace"],
    ["workspace://work/made", "work/../skills/math/SKILL.md", "inputs must be in work/ or out/"],
    ["workspace://work/made", "work/made/..", "inputs must be in work/ or out/"],
    ["workspace://work/made", "out/..", "inputs must be in work/ or out/"],
    ["workspace://work/made", "out/x/../", "inputs must be in work/ or out/"],
    ["workspace://work/made", "skills/math/SKILL.md", "inputs must be in work/ or out/"],
    ["workspace://work/made", "work/door/x", "its path contains a link that leads out"],
    ["workspace://work/door/passwd", undefined, "its path contains a link that leads out"],
  ])("%s to %s is refused", async (from, to, reason) => {
    await using t = await shop();
    await t.run({ command: "echo 1 > work/made; ln -s /etc work/door" });
    const inputs = [{ from, ...(to !== undefined && { to }) }];
    await expect(t.run({ command: "true", inputs })).rejects.toThrow(reason);
  });

  it("replace a link at their destination, not its target", async () => {
    await using t = await shop();
    const outside = join(t.g.home, "outside");
    fs.writeFileSync(outside, "outside");
    fs.writeFileSync(join(t.g.project, "a"), "inside");
    await t.run({ command: `ln -s ${outside} inputs/a` });
    expect((await t.run({ command: "cat inputs/a", inputs: [{ from: `host://${t.g.project}/a` }] })).stdout).toBe(
      "inside",
    );
    expect(fs.readFileSync(outside, "utf8")).toBe("outside");
  });
});
