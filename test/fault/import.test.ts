import { once } from "node:events";
import { mkdirSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratch } from "../e2e/scorel.ts";

it("an import that is killed leaves no session", async () => {
  using s = scratch();
  const folder = join(s.home, ".scorel", "sessions");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const message = JSON.stringify({ type: "message", message: { role: "user", content: "word ".repeat(2000) } });
  s.file("long.jsonl", `{"type":"session","id":"x"}\n${`${message}\n`.repeat(5000)}`);
  const watcher = watch(folder);
  const begun = once(watcher, "change");
  const running = s.start(["session", "import", "long.jsonl"]);
  await begun;
  process.kill(running.pid, "SIGKILL");
  expect(await running.finished).toMatchObject({ signal: "SIGKILL", stdout: "" });
  watcher.close();
  expect(readdirSync(folder).every((name) => name.endsWith(".importing"))).toBe(true);
  expect(await s.run(["session", "list", "--all"])).toMatchObject({ code: 0, stdout: "" });
  expect(await s.run(["session", "import", "long.jsonl"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("5000 messages"),
  });
  expect(s.logs()).toHaveLength(1);
});
