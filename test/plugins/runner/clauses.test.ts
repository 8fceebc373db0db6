import * as fs from "node:fs";
import { join } from "node:path";
import { definePlugin } from "@scorel/kernel";
import type { SandboxJob } from "@scorel/sandbox/contract";
import type { ReadyTool } from "@scorel/tools/contract";
import { afterEach, describe, expect, it, vi } from "vitest";
import { shownList } from "../../../plugins/runner/run/command.ts";
import { mimeOf } from "../../../plugins/runner/workspace/mime.ts";
import { shop } from "./setup.ts";

afterEach(() => vi.unstubAllEnvs());

describe("skill_run", () => {
  it("advertises the common parameters and accepts all documented ones", async () => {
    await using t = await shop({ allow: ["python3"] });
    const tool = t.t.kernel.find("tools")?.get("skill_run") as ReadyTool;
    const { parameters, description } = tool;
    const { properties, required } = parameters as { properties: Record<string, any>; required: string[] };
    const told = ["skill", "command", "cwd", "inputs", "output_files", "save_as_artifacts", "timeout", "interactive"];
    expect([Object.keys(properties), required]).toEqual([told, ["skill", "command"]]);
    expect(Object.keys(properties.inputs.items.properties)).toEqual(["from", "to"]);
    const needed = { skill: "math", command: "true" };
    const more = {
      ...{ artifact_prefix: "a", env: { A: "1" }, omit_inline_content: true, stdin: "x" },
      inputs: [{ from: "workspace://work/a", mode: "link", pin: true }],
      outputs: { globs: ["a"], inline: true, save: true, name_template: "n", max_files: 1, max_file_bytes: 1 },
    };
    expect(tool.validate({ ...needed, ...more })).toEqual({ ...needed, ...more });
    for (const wrong of [{ artifactPrefix: "a" }, { stdin: 1 }, { outputs: { globs: ["a"], max_files: 0 } }])
      expect(() => tool.validate({ ...needed, ...wrong })).toThrow(Object.keys(wrong)[0]);
    expect(description).toContain("Only these programs, without a shell: python3.");
    const names = Array.from({ length: 25 }, (_, at) => `p${at}`);
    expect(shownList(names)).toBe(`${names.slice(0, 20).join(", ")} (+5 more)`);
  });

  it("gives a program 300 seconds, or the requested time", async () => {
    const jobs: SandboxJob[] = [];
    const ended = Promise.resolve({ exitCode: 0, durationMs: 1 });
    const run = { ended, write: async () => {}, closeStdin() {}, kill: async () => {} };
    const noting = definePlugin({
      id: "sandbox",
      name: "Sandbox",
      version: "1.0.0",
      provides: ["sandbox"],
      activate: (ctx) =>
        ctx.provide("sandbox", {
          executor: async () => "bubblewrap",
          start: async (job: SandboxJob) => {
            jobs.push(job);
            return run;
          },
        } as never),
    });
    await using t = await shop({}, undefined, [], { sandbox: noting });
    for (const timeout of [undefined, 0, -1, 7])
      await t.run({ command: "true", ...(timeout !== undefined && { timeout }) });
    expect(jobs.map(({ limits }) => limits?.seconds)).toEqual([300, 300, 300, 7]);
  });

  it("lets a call override its variables, except those that control allowed programs", async () => {
    await using t = await shop();
    const command = 'echo "$WORK_DIR $SKILL_NAME $VIRTUAL_ENV"';
    expect((await t.run({ command, env: { WORK_DIR: "a", SKILL_NAME: "b", VIRTUAL_ENV: "c" } })).stdout).toBe(
      "a b c\n",
    );
  });

  it("reports a missing program as a shell does", async () => {
    await using t = await shop();
    expect(await t.run({ command: "no-such-program" })).toMatchObject({ exit_code: 127, timed_out: false });
  });
});

describe("outputs", () => {
  it("read at most 4 MiB of a file, and in total no more than requested", async () => {
    await using t = await shop();
    await t.run({ command: "cd out; for f in a b c; do head -c 4200000 /dev/zero | tr '\\0' x > $f.txt; done" });
    const outputs = { globs: ["out/*"], save: true, max_file_bytes: 10_000_000, max_total_bytes: 5_000_000 };
    const { output_files, artifact_files, warnings } = await t.run({ command: "true", outputs });
    expect(output_files.map(({ name, truncated }) => [name, truncated])).toEqual([
      ["out/a.txt", true],
      ["out/b.txt", true],
    ]);
    expect([artifact_files, warnings]).toEqual([
      [],
      [
        expect.stringContaining("the first one left out is out/c.txt"),
        "cannot save truncated output file: out/a.txt, out/b.txt",
        "only 128 KiB of content are returned at once; pass the refs of the other files to Read",
      ],
    ]);
  });

  it("are returned with at most 128 KiB of content in total, and always with their refs", async () => {
    await using t = await shop();
    const command = "cd out; for f in a b c; do head -c 100000 /dev/zero | tr '\\0' x > $f.txt; done";
    const { output_files, warnings } = await t.run({ command, output_files: ["out/*"] });
    const told = output_files.map(({ ref, content, truncated, size_bytes: size }) => [
      ref,
      content?.length,
      truncated,
      size,
    ]);
    expect(told).toEqual([
      ["workspace://out/a.txt", 100_000, undefined, 100_000],
      ["workspace://out/b.txt", 128 * 1024 - 100_000, true, 100_000],
      ["workspace://out/c.txt", undefined, undefined, 100_000],
    ]);
    expect(warnings?.[0]).toBe(
      "only 128 KiB of content are returned at once; pass the refs of the other files to Read",
    );
  });

  it("that were not requested are the first 20 files of out/, with the content of the first small text", async () => {
    await using t = await shop();
    await t.run({ command: "cd out; for i in $(seq 10 29); do : > $i; done; echo late > 30" });
    expect((await t.run({ command: "true" })).primary_output).toBeUndefined();
    const command = "cd out; head -c 32769 /dev/zero | tr '\\0' x > 11; echo ' ' > 12; echo small > 13; echo next > 14";
    const { output_files, primary_output } = await t.run({ command });
    expect([output_files, primary_output?.name, primary_output?.content]).toEqual([[], "out/13", "small\n"]);
  });

  it("as output_files take precedence, and `outputs` are listed without content by default", async () => {
    await using t = await shop();
    const outputs = { globs: ["out/*"], inline: true };
    const command = "echo a > out/a; echo b > work/b";
    const names = async (request: object) =>
      (await t.run({ command, ...request })).output_files.map(({ name, content }) => [name, content]);
    expect(await names({ outputs, output_files: ["work/b"] })).toEqual([["work/b", "b\n"]]);
    expect(await names({ outputs: { globs: ["out/*"] } })).toEqual([["out/a", undefined]]);
    expect(await names({ outputs })).toEqual([["out/a", "a\n"]]);
  });

  it("have secrets redacted in their content, in any script", async () => {
    vi.stubEnv("MATH_TOKEN", "schlüssel-中文");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } });
    const { output_files } = await t.run({ command: 'echo "<$MATH_TOKEN>" > out/a', output_files: ["out/*"] });
    expect(output_files[0]?.content).toBe("<[redacted]>\n");
    expect(fs.readFileSync(join(t.workspace, "out/a"), "utf8")).toBe("<schlüssel-中文>\n");
  });

  it("have the variables of the client that has opened the session, and not those of the host", async () => {
    vi.stubEnv("MATH_TOKEN", "token-of-the-host");
    await using t = await shop({ env: { math: ["MATH_TOKEN"] } }, undefined, [], {
      workspace: () => ({ environment: ["MATH_TOKEN=token-of-the-client"] }),
    });
    await t.run({ command: 'echo "$MATH_TOKEN" > out/a', output_files: ["out/*"] });
    expect(fs.readFileSync(join(t.workspace, "out/a"), "utf8")).toBe("token-of-the-client\n");
    vi.unstubAllEnvs();
  });

  it("that cannot be saved are returned in full, with the reason", async () => {
    await using t = await shop({}, undefined, [], { artifacts: false });
    const request = { command: "echo a > out/a", output_files: ["out/*"], save_as_artifacts: true };
    const { output_files, artifact_files, warnings } = await t.run({ ...request, omit_inline_content: true });
    expect([output_files[0]?.content, artifact_files]).toEqual(["a\n", undefined]);
    expect(warnings?.[0]).toBe(
      "save_as_artifacts requested but artifact service is not configured; outputs are not persisted",
    );
  });
});

describe("the type of a file", () => {
  it.each<[name: string, bytes: string | Buffer, mime: string]>([
    ["a.json", '{"a":1}', "application/json"],
    ["a", '{"a":1}', "text/plain"],
    ["a.md", "# A", "text/markdown"],
    ["a.svg", "<svg/>", "image/svg+xml"],
    ["a", "<?xml version='1.0'?>", "text/xml"],
    ["a", " <html>", "text/html"],
    ["a.txt", "", "text/plain"],
    ["a", "GIF89a", "image/gif"],
    ["a.txt", "%PDF-1.7", "application/pdf"],
    ["a", "PK\u0003\u0004", "application/zip"],
    ["a.xlsx", "PK\u0003\u0004", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["a.txt", "a\0b", "application/octet-stream"],
    ["a.txt", Buffer.from("\ufeffa", "utf16le"), "application/octet-stream"],
  ])("%s with %j is %s", (name, bytes, mime) => {
    expect(mimeOf(name, Buffer.from(bytes as string))).toBe(mime);
  });
});

describe("an artifact's name", () => {
  it("may contain an @; only digits after it at the end are a version", async () => {
    await using t = await shop();
    const save = (name: string, content: string) =>
      t.artifacts.save({ name, content: Buffer.from(content), mimeType: "text/plain" });
    await save("a@b", "first");
    await save("a@b", "second");
    const cat = (from: string) =>
      t.run({ command: "cat inputs/x", inputs: [{ from, to: "inputs/x" }] }).then(({ stdout }) => stdout);
    expect([await cat("artifact://a@b"), await cat("artifact://a@b@0")]).toEqual(["second", "first"]);
    await expect(cat("artifact://a@")).rejects.toThrow("there is no such artifact");
    await expect(cat("artifact://a@b@9")).rejects.toThrow("version 9 does not exist");
  });
});

describe("the workspace of a session", () => {
  it("is removed a day after its session is gone, not before", async () => {
    await using t = await shop();
    const all = join(t.g.home, ".scorel/workspaces");
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
    t.g.file(".scorel/sessions/kept_1.jsonl", "");
    t.g.file(".scorel/trash/trashed_1.jsonl", "");
    for (const name of ["kept", "trashed", "gone", "new"]) fs.mkdirSync(join(all, name), { recursive: true });
    for (const name of ["kept", "trashed", "gone"]) fs.utimesSync(join(all, name), old, old);
    await t.run({ command: "true" });
    expect(
      fs
        .readdirSync(all)
        .filter((name) => !t.workspace.includes(name))
        .sort(),
    ).toEqual(["kept", "new", "trashed"]);
  });
});
