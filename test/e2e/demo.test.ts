import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pictureFile, sessionPicture } from "../docs/session-picture.ts";
import { read } from "../docs/source.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

/** A separate temporary folder for each test, since the demonstration creates its repository there. */
function temporary(s: Scratch): { TMPDIR: string } {
  const TMPDIR = join(s.home, "tmp");
  mkdirSync(TMPDIR);
  return { TMPDIR };
}

it("repairs a repository with the real tools, offline, and shows the result", async () => {
  using s = scratch();
  const { code, stdout, stderr } = await s.run(["demo"], { env: temporary(s) });
  expect([code, stderr]).toEqual([0, ""]);
  const told = stdout.split("\n").filter((line) => line.startsWith("  > ") || /^ {4}(pass|fail) /.test(line));
  expect(told).toEqual([
    "  > $ node --test",
    "    pass 2, fail 1",
    "  > Grep function total",
    "  > Read src/cart.js",
    "  > Edit src/cart.js",
    "  > $ node --test",
    "    pass 3, fail 0",
  ]);
  expect(stdout).toMatch(/- {2}for \(let i = 1;.*\n\+ {2}for \(let i = 0;/);
  expect(sessionPicture(stdout)).toBe(read(pictureFile));
  const [log] = s.logs();
  expect(stdout).toContain(log);
  expect(records(log as string).filter(({ type }) => type === "message")).toHaveLength(1 + 6 + 5);
});

it("works without git, and says that git is missing", async () => {
  using s = scratch();
  const bin = join(s.home, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  for (const shell of ["sh", "bash"]) if (existsSync(`/bin/${shell}`)) symlinkSync(`/bin/${shell}`, join(bin, shell));
  const { code, stdout } = await s.run(["demo"], { env: { ...temporary(s), PATH: bin } });
  expect([code, stdout.includes("(without git: git is not installed)")]).toEqual([0, true]);
  expect(stdout).toMatch(/- {2}for \(let i = 1;.*\n\+ {2}for \(let i = 0;/);
});

it("can be cancelled with Ctrl-C", async () => {
  using s = scratch();
  const { child, line, finished } = s.start(["demo"], { env: temporary(s) });
  await line((told) => told === "  > $ node --test");
  child.kill("SIGINT");
  const { code, stdout } = await finished;
  expect([code, stdout.includes("Checked once more")]).toEqual([130, false]);
});
