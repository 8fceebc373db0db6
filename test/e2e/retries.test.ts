import { once } from "node:events";
import { expect, it } from "vitest";
import { cut, startModelServer, status, text } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const ask = ["--preset", "none", "-p", "hi", "--output", "events"];
const typed = (stdout: string, ...types: string[]) =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ type }) => types.includes(type));

it("a reply that was cut off is requested again, and both are in the log", async () => {
  using s = scratch();
  await using server = await startModelServer([[text("Half an ans"), cut()], text("The whole answer.")]);
  s.useModel(server.baseUrl);
  const { code, stdout, stderr } = await s.run(ask);
  expect({ code, stderr, requests: server.requests.length }).toEqual({ code: 0, stderr: "", requests: 2 });
  expect(typed(stdout, "message", "retry_start", "retry_end")).toMatchObject([
    { message: { role: "user" } },
    { message: { partial: true, meta: { retried: true }, content: [{ text: "Half an ans" }] } },
    { type: "retry_start", attempt: 1, of: 3 },
    { type: "retry_end", attempt: 1, cancelled: false },
    { message: { content: [{ text: "The whole answer." }] } },
  ]);
  const [id = ""] = s.logs().map((log) => log.replace(/^.*\/(.*)\.jsonl$/, "$1"));
  const again = await s.run(["session", "context", id]);
  expect([again.code, again.stdout.includes("The whole answer."), again.stdout.includes("Half")]).toEqual([
    0,
    true,
    false,
  ]);
});

it("an interrupt ends a retry delay of a minute at once", async () => {
  using s = scratch();
  await using server = await startModelServer(() => status(429, {}, { "retry-after": "60" }));
  s.useModel(server.baseUrl);
  const running = s.start(ask);
  const told = JSON.parse(await running.line((line) => line.includes('"retry_start"')));
  expect(told).toMatchObject({ delayMs: 60_000 });
  running.child.kill("SIGINT");
  const { code, stdout } = await running.finished;
  expect(code).toBe(130);
  expect(typed(stdout, "retry_end", "runtime_end")).toMatchObject([{ cancelled: true }, { reason: "cancelled" }]);
});

it("SIGTERM during a retry delay ends a session that is not stored without a word about it", async () => {
  using s = scratch();
  await using server = await startModelServer(() => status(429, {}, { "retry-after": "60" }));
  s.useModel(server.baseUrl);
  const running = s.start(["--preset", "none", "--no-session", "-p", "hi"]);
  await once(running.child.stderr as NodeJS.ReadableStream, "data");
  running.child.kill("SIGTERM");
  const { code, stdout, stderr } = await running.finished;
  expect({ code, stdout }).toEqual({ code: 143, stdout: "" });
  expect(stderr).toMatch(/^Trying again in 60\.0 s \(1 of 3\): .*\n$/);
});

it("a long retry delay is reported on stderr", async () => {
  using s = scratch();
  await using server = await startModelServer(() => status(429, {}, { "retry-after": "60" }));
  s.useModel(server.baseUrl);
  const running = s.start(["--preset", "none", "-p", "hi"]);
  await once(running.child.stderr as NodeJS.ReadableStream, "data");
  running.child.kill("SIGINT");
  const { stdout, stderr } = await running.finished;
  expect({ stdout, stderr }).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^Trying again in 60\.0 s \(1 of 3\): .*429.*\n/),
  });
});

it("a short retry delay is reported, too", async () => {
  using s = scratch();
  await using server = await startModelServer([status(500), text("The answer.")]);
  s.useModel(server.baseUrl);
  const { code, stdout, stderr } = await s.run(["--preset", "none", "-p", "hi"]);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: "The answer.\n",
    stderr: expect.stringMatching(/^Trying again in \d\.\d s \(1 of 3\): .*500.*\n$/),
  });
});
