import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "@scorel/workspace/contract";
import { describe, expect, it } from "vitest";
import { hash, shop } from "./setup.ts";

describe("Read", () => {
  it("finds files of a program by reference and by name", async () => {
    await using t = await shop();
    await t.run({ command: "printf 'one\\ntwo\\nthree\\n' > out/a.txt; echo in > work/inputs/b.txt" });
    expect(await t.read({ file_path: "workspace://out/a.txt" })).toContain("1\tone\n2\ttwo\n3\tthree");
    expect(await t.read({ file_name: "workspace://out/a.txt", start_line: 2, num_lines: 1 })).toMatch(/\n2\ttwo$/);
    expect(await t.read({ file_path: "out/a.txt" })).toContain("1\tone");
    expect(await t.read({ file_path: "inputs/b.txt" })).toContain("1\tin");
  });

  it("prefers the project's file, and uses inputs/ when the project has none", async () => {
    await using t = await shop();
    await t.run({ command: "echo workspace > out/a.txt" });
    t.g.file("project/out/a.txt", "project");
    t.g.file("project/notes.txt", "notes");
    expect(await t.read({ file_path: "out/a.txt" })).toContain("1\tproject");
    expect(await t.read({ file_path: "inputs/notes.txt" })).toContain("1\tnotes");
  });

  it("finds artifacts, each version of them", async () => {
    await using t = await shop();
    for (const content of ["first", "second"])
      await t.artifacts.save({ name: "pref/r.txt", content: Buffer.from(content), mimeType: "text/plain" });
    expect(await t.read({ file_path: "artifact://pref/r.txt" })).toContain("1\tsecond");
    expect(await t.read({ file_path: "artifact://pref/r.txt@0" })).toContain("1\tfirst");
  });

  it("writes no copy of an artifact through a link that a command has put into the temporary folder", async () => {
    await using t = await shop();
    await t.artifacts.save({ name: "keys", content: Buffer.from("mine"), mimeType: "text/plain" });
    const { temp } = t.t.kernel.find("workspace") as Workspace;
    const outside = t.g.file("outside/keys", "the user's");
    mkdirSync(join(temp, "artifacts"));
    symlinkSync(join(outside, ".."), join(temp, "artifacts", hash("mine")));
    expect(await t.read({ file_path: "artifact://keys" })).toContain("a link that leads out");
    expect([readdirSync(join(outside, "..")), readFileSync(outside, "utf8")]).toEqual([["keys"], "the user's"]);
  });

  it("shows an artifact as it was saved, whatever a command has put in the place of its copy", async () => {
    await using t = await shop();
    await t.artifacts.save({ name: "a.txt", content: Buffer.from("saved"), mimeType: "text/plain" });
    const { temp } = t.t.kernel.find("workspace") as Workspace;
    const folder = join(temp, "artifacts", hash("saved"));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "a.txt"), "other");
    expect(await t.read({ file_path: "artifact://a.txt" })).toContain("1\tsaved");
  });

  it("creates no workspace when nothing was run", async () => {
    await using t = await shop();
    for (const file_path of ["none.txt", "workspace://out/none"]) await t.read({ file_path });
    expect(existsSync(t.workspace)).toBe(false);
  });

  it.each([
    ["workspace://../../../etc/passwd", "it leads out of the workspace"],
    ["workspace:///etc/passwd", "it must be relative to the workspace"],
    ["workspace://out/door", "its path contains a link that leads out of the workspace"],
    ["workspace://out/none", "there is no such file in the workspace"],
    ["artifact://none", "there is no such artifact"],
  ])("does not read %s", async (file_path, reason) => {
    await using t = await shop();
    await t.run({ command: "ln -s /etc/passwd out/door" });
    expect(await t.read({ file_path })).toContain(reason);
  });
});
