import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { startModelServer, status, text, toolCall } from "../model-server.ts";
import { scratch } from "./scorel.ts";

const idOf = (log: string) => log.replace(/^.*\/(.*)\.jsonl$/, "$1");
const words = (stdout: string) =>
  stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/^\S+Z (\w+) +/, "$1 "));

it("`scorel logs` shows a session's turn, tool call and refusal, by the beginning of its id", async () => {
  using s = scratch();
  s.file("notes.txt", "the pudding is in the cellar");
  const refused = status(400, { error: { message: "cannot read: the pudding is in the cellar" } });
  await using server = await startModelServer([toolCall("Read", { file_path: "notes.txt" }), refused]);
  s.useModel(server.baseUrl);
  expect((await s.run(["-p", "where is the famous pudding?"])).code).toBe(1);
  const [log = ""] = s.logs();
  const { code, stdout } = await s.run(["logs", idOf(log).slice(0, 8)]);
  expect({ code, lines: words(stdout) }).toEqual({
    code: 0,
    lines: [
      "info session opened",
      expect.stringMatching(/^info model /),
      "info turn begins",
      expect.stringMatching(/^info tool Read ended after \d+ ms$/),
      expect.stringMatching(/^info round 1 ended: toolUse, \d+ tokens$/),
      expect.stringMatching(/^warn /),
      expect.stringMatching(/^info round 2 ended: error/),
      expect.stringMatching(/^error turn failed: \w+: .*cannot read: ?\[…\]/),
      "info turn error",
      "info session closed",
    ],
  });
  expect(stdout).not.toMatch(/pudding|cellar/);
  expect(statSync(log.replace(/jsonl$/, "log")).mode & 0o777).toBe(0o600);
  expect(words((await s.run(["logs", idOf(log), "--tail", "1"])).stdout)).toEqual(["info session closed"]);
});

it("new log lines are shown as they arrive, until an interrupt", async () => {
  using s = scratch({ inProcess: true });
  await using server = await startModelServer(() => text("Yes."));
  s.useModel(server.baseUrl);
  await s.run(["--preset", "none", "-p", "first"]);
  const [log = ""] = s.logs();
  const following = s.start(["logs", idOf(log), "--follow", "--tail", "0"]);
  // Following may start in the middle of a turn; the first line of a later turn is certain to be shown.
  const shown = following.line((line) => line.endsWith("turn begins"));
  let told = false;
  void shown.then(() => {
    told = true;
  });
  while (!told) {
    await s.run(["--preset", "none", "--continue", "-p", "again"]);
    await Promise.race([shown, new Promise((resolve) => setImmediate(resolve))]);
  }
  following.child.kill("SIGINT");
  expect((await following.finished).stdout).toMatch(/turn begins\n/);
});

it("an unknown session and an invalid count are reported", async () => {
  using s = scratch({ inProcess: true });
  const unknown = await s.run(["logs", "nothere1"]);
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('There is no session "nothere1"')]);
  const wrong = await s.run(["logs", "nothere1", "--tail", "few"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('not "few"')]);
});
