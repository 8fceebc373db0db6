import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { SessionSummary } from "@scorel/host/contract";
import type { ListedProject } from "@scorel/projects/contract";
import { expect, it } from "vitest";
import { startModelServer, text, toolCall } from "../model-server.ts";
import { type Finished, records, scratch } from "./scorel.ts";

const listed = ({ stdout }: Finished) => (JSON.parse(stdout) as SessionSummary[]).map(({ sessionId }) => sessionId);

it("sessions belong to projects, and follow them when they are moved", async () => {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(() => text("hello"));
  s.useModel(server.baseUrl);
  const other = join(s.home, "other");
  mkdirSync(join(other, "deep"), { recursive: true });
  mkdirSync(join(other, ".git"));
  expect(await s.run(["-p", "first"])).toMatchObject({ code: 0, stderr: "" });
  expect(await s.run(["-p", "second"], { cwd: join(other, "deep") })).toMatchObject({ code: 0, stderr: "" });
  const projects = JSON.parse(
    (await s.run(["project", "list", "--output", "json"], { ownProcess: true })).stdout,
  ) as ListedProject[];
  expect(projects.map(({ name, directory, sessions, exists }) => [name, directory, sessions, exists])).toEqual([
    ["other", other, 1, true],
    ["project", s.project, 1, true],
  ]);

  const all = await s.run(["session", "list", "--all", "--json"]);
  const [second = "", first = ""] = listed(all);
  const only = (project: string) => s.run(["session", "list", "--project", project, "--output", "json"]);
  expect(listed(await only("other"))).toEqual([second]);
  expect(listed(await only(projects[1]?.projectId ?? ""))).toEqual([first]);
  expect(listed(await s.run(["session", "list", "--project", ".", "--output", "json"]))).toEqual([first]);
  expect(listed(await s.run(["session", "list", "--all", "--limit", "1", "--output", "json"]))).toEqual([second]);
  expect(await s.run(["session", "list", "--limit", "1001"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("1 to 1000"),
  });
  expect(await only("nowhere")).toMatchObject({ code: 2, stderr: expect.stringContaining("scorel project list") });
  expect((await s.run(["search", "--project", "other", "hello"])).stdout).toContain(second.slice(0, 8));
  expect((await s.run(["search", "--project", "other", "first"])).stdout).toBe("");

  const moved = join(s.home, "moved");
  renameSync(other, moved);
  expect((await s.run(["project", "list"])).stdout).toContain("  1 session  (gone)\n");
  const refused = await s.run(["--session", second, "-p", "third"]);
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`scorel project move ${join(other, "deep")} NEW-DIRECTORY`),
  });
  expect(await s.run(["project", "move", "other", moved])).toMatchObject({ code: 0, stderr: "" });
  expect(await s.run(["--continue", "-p", "third"], { cwd: join(moved, "deep") })).toMatchObject({ code: 0 });
  const log = s.logs().find((path) => path.includes(second)) ?? "";
  expect(JSON.stringify(records(log))).toContain("third");
  expect((await s.run(["usage", "--by", "project"])).stdout).toContain(moved);

  expect(await s.run(["project", "remove", "project"])).toMatchObject({ code: 0 });
  expect((await s.run(["project", "list"])).stdout).not.toContain(s.project);
  expect((await s.run(["session", "list"])).stdout).toContain(first);
  expect(await s.run(["project", "add", "--name", "Shop"])).toMatchObject({ code: 0 });
  const file = readFileSync(join(s.home, ".scorel/projects.json"), "utf8");
  expect(
    JSON.parse(file)
      .projects.map(({ name }: { name: string }) => name)
      .sort(),
  ).toEqual(["Shop", "other"]);
});

it("files are restored where they are now, if the folder of a session was moved within its project", async () => {
  using s = scratch({ inProcess: true });
  const write = (file_path: string, content: string) => toolCall("Write", { file_path, content });
  await using server = await startModelServer([
    [write("made.txt", "made\n"), write("../beside.txt", "beside\n")],
    text("Made."),
  ]);
  s.useModel(server.baseUrl);
  mkdirSync(join(s.project, ".git"));
  s.file("pkg/old/kept.txt", "kept\n");
  const [old, moved] = ["old", "new"].map((name) => join(s.project, "pkg", name)) as [string, string];
  expect(await s.run(["-p", "Make them.", "--yes"], { cwd: old })).toMatchObject({ code: 0 });
  renameSync(old, moved);
  expect((await s.run(["project", "move", old, moved])).code).toBe(0);
  const undone = await s.run(["session", "undo", "latest", "--files", "--yes"], { cwd: moved });
  expect(undone.stdout).toContain("2 files restored.");
  const found = ["old", "new/kept.txt", "new/made.txt", "beside.txt"].map((path) =>
    existsSync(join(s.project, "pkg", path)),
  );
  expect(found).toEqual([false, true, false, false]);
});
