import * as fs from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { secondProcess } from "../../second-process.ts";
import { type Project, project } from "./project.ts";

const count = 300;
const nameOf = (n: number) => `d${n % 3}/f${String(n).padStart(3, "0")}`;
const files = Object.fromEntries(Array.from({ length: count }, (_, n) => [nameOf(n), `old ${n}`]));
const sorted = Object.keys(files).sort();

const journalOf = (t: Project) => join(t.home, ".scorel/restores", `${t.sessionId}.json`);
const isOld = (t: Project, n: number) => () => fs.readFileSync(t.path(sorted[n] as string), "utf8").startsWith("old");

describe("a restore that is killed", () => {
  const points: [string, (t: Project) => () => boolean][] = [
    ["before its first file", (t) => () => fs.existsSync(journalOf(t))],
    ["after its first file", (t) => isOld(t, 0)],
    ["in the middle", (t) => isOld(t, count / 2)],
    ["at its last file", (t) => isOld(t, count - 1)],
  ];

  it.each(points)("%s is finished when the session is opened", async (_name, pointIn) => {
    await using t = await project({ files });
    const before = t.tree();
    const { user, end } = await t.bash("for f in d*/*; do echo new > $f; done; echo n > made");
    const after = t.tree();
    await t.changes();
    const reached = pointIn(t);
    await t.client.close();
    const script = new URL("restorer.ts", import.meta.url);
    await using other = await secondProcess(script, t.home, [t.home, t.sessionId, user]);
    expect(await other.line()).toBe("open");
    other.child.stdin?.write("go\n");
    while (!reached());
    await other.kill();
    await t.reopen();
    await eventually(() => expect(fs.existsSync(journalOf(t))).toBe(false));
    expect(t.tree()).toEqual(before);
    expect((await t.restore(end)).skipped).toEqual([]);
    expect(t.tree()).toEqual(after);
  });

  it("keeps files that were changed afterwards", async () => {
    await using t = await project({ files: { a: "1", b: "1" } });
    const { user } = await t.bash("echo 2 > a; echo 2 > b");
    await t.restore(user);
    const { session } = await t.kernel();
    const done = [...session.tree].at(-1) as unknown as { data: { files: unknown[] } };
    const journal = { v: 1, id: "x1", root: t.dir, target: user, steps: done.data.files };
    fs.writeFileSync(journalOf(t), JSON.stringify(journal));
    t.file("a", "2\n");
    t.file("b", "mine");
    fs.writeFileSync(t.path(".scorel-restore-x1"), "half");
    await t.reopen();
    await eventually(() => expect(fs.existsSync(journalOf(t))).toBe(false));
    expect(t.tree()).toEqual({ a: "644 1", b: "644 mine" });
  });

  it.each([
    ["no JSON", "{"],
    ["nothing that this program wrote", '{"v":1,"steps":[{"path":"../x"}]}'],
  ])("is forgotten when its plan is %s", async (_name, text) => {
    await using t = await project({ files: { a: "1" } });
    const { user } = await t.bash("echo 2 > a");
    await t.changes();
    fs.mkdirSync(dirname(journalOf(t)), { recursive: true });
    fs.writeFileSync(journalOf(t), text);
    expect((await t.restore(user)).restored).toEqual(["a"]);
    expect(fs.readdirSync(dirname(journalOf(t)))).toEqual([]);
  });
});

describe("a folder that is repeatedly replaced by a link", () => {
  it("leads no restore out of the project", async () => {
    await using t = await project({ plain: true, files: { "d/a": "1", "d/b": "1" } });
    const outside = join(t.home, "outside");
    fs.mkdirSync(outside);
    for (const name of ["a", "b", "c"]) fs.writeFileSync(join(outside, name), "outside");
    const { user, end } = await t.bash("echo 2 > d/a; rm d/b; echo 2 > d/c");
    await t.changes();
    await using swapper = await secondProcess(new URL("swapper.ts", import.meta.url), t.home, [t.path("d"), outside]);
    await swapper.line();
    const seen = { restored: 0, skipped: 0 };
    for (let run = 0; run < 400 || seen.restored * seen.skipped === 0; run++) {
      const { restored, skipped } = await t.restore(run % 2 === 0 ? user : end, true);
      seen.restored += restored.length;
      seen.skipped += skipped.filter(({ reason }) => reason === "its folder is a link").length;
    }
    const left = Object.fromEntries(
      fs.readdirSync(outside).map((name) => [name, fs.readFileSync(join(outside, name), "utf8")]),
    );
    expect(left).toEqual({ a: "outside", b: "outside", c: "outside" });
  }, 60_000);
});
