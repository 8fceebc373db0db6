import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../../plugins/packages/sources/program.ts";
import { isAlive } from "../../processes.ts";
import { testHome } from "../host/home.ts";

const env = { PATH: process.env.PATH ?? "" };

it("an interrupted program has ended before its folder is removed, and has failed even if it tidies up and exits with 0", async () => {
  using home = testHome();
  const file = join(home.cwd, "pid");
  const slow = `process.on("SIGTERM", () => setTimeout(process.exit, 200, 0));
    setInterval(() => {}, 1_000);
    require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid));`;
  const interrupt = new AbortController();
  const ended = run(process.execPath, ["-e", slow], { cwd: home.cwd, env, signal: interrupt.signal });
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+$/);
  interrupt.abort();
  const failure = "The operation was aborted";
  expect(await ended).toEqual({ code: null, stdout: Buffer.alloc(0), stderr: "", failure });
  expect(isAlive(Number(readFileSync(file, "utf8")))).toBe(false);
});

it("a program that cannot be started is an answer, and no error", async () => {
  const { signal } = new AbortController();
  const ended = { code: null, stdout: Buffer.alloc(0), stderr: "", failure: "there is no no-such-program" };
  expect(await run("no-such-program", [], { cwd: "/", env, signal })).toEqual(ended);
});
