import { once } from "node:events";
import * as fs from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { inOpenFolder, type OpenFolder, readWithin, remove } from "../../../plugins/runner/workspace/open-folder.ts";
import { type Ground, ground } from "../skills/setup.ts";

/** A workspace in which a program alternately makes `in` a folder and a link to `outside`. */
async function exchanged(g: Ground) {
  const root = join(g.home, "ws");
  g.file("outside/x", "secret");
  g.file("outside/deep/y", "secret");
  fs.mkdirSync(root);
  const program = new Worker(EXCHANGE, { eval: true, workerData: root });
  await once(program, "message");
  return {
    root,
    outside: join(g.home, "outside"),
    [Symbol.asyncDispose]: async () => void (await program.terminate()),
  };
}
const EXCHANGE = `
  const fs = require("node:fs");
  const { parentPort, workerData: root } = require("node:worker_threads");
  const at = (name) => root + "/" + name;
  const move = (from, to) => fs.renameSync(at(from), at(to));
  /** Makes the folders at the start, and again when another process has created a folder of that name. */
  const anew = () => {
    for (const name of ["in", "away", "link"]) fs.rmSync(at(name), { recursive: true, force: true });
    fs.mkdirSync(at("away"), { recursive: true });
    fs.writeFileSync(at("away/x"), "public");
    fs.symlinkSync("../outside", at("link"));
    move("away", "in");
  };
  anew();
  parentPort.postMessage("begun");
  for (;;)
    try { move("in", "away"); move("link", "in"); move("in", "link"); move("away", "in"); }
    catch { try { anew(); } catch {} }
`;
const or = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch {
    return undefined; // Refused, because the folder was exchanged.
  }
};

it("a folder that a program replaces by a link reveals nothing of the link's target", async () => {
  using g = ground();
  await using t = await exchanged(g);
  const told = new Set<string | undefined>();
  for (let at = 0; at < 20_000; at++) told.add(or(() => String(readWithin(t.root, join(t.root, "in/x")))));
  expect(told).toContain("public");
  expect(told).not.toContain("secret");
});

it("nothing in the link's target is written or removed", async () => {
  using g = ground();
  await using t = await exchanged(g);
  let done = 0;
  for (let at = 0; at < 250; at++) {
    const within = (name: string, work: (held: OpenFolder) => void) =>
      or(() => inOpenFolder(t.root, join(t.root, name), "folder", work, true));
    within("in/deep", (held) => fs.writeFileSync(held.path("new"), String(done++)));
    within("in", (held) => remove(held, "deep", g.home));
    within(".", (held) => remove(held, "in", g.home));
  }
  expect(done).toBeGreaterThan(0);
  const left = fs.readdirSync(t.outside, { recursive: true }).sort();
  expect([left, fs.readFileSync(join(t.outside, "deep/y"), "utf8")]).toEqual([["deep", "deep/y", "x"], "secret"]);
});
