import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as soon } from "node:timers/promises";
import { expect, it } from "vitest";
import { scratch } from "../e2e/scorel.ts";
import { startModelServer, text } from "../model-server.ts";

const FILES = 400;
/** The number of files that are moved before the process is killed. */
const MOMENTS = ["none", 1, 2, 40, 200, Number.POSITIVE_INFINITY] as const;

it("a session whose delete or restore is killed at any moment can be listed or restored, and is never damaged", async () => {
  using s = scratch();
  await using server = await startModelServer([text("kept")]);
  s.useModel(server.baseUrl);
  expect(await s.run(["-p", "hello"])).toMatchObject({ code: 0 });
  const sessionId = basename(s.logs()[0] as string, ".jsonl");
  const sessions = join(s.home, ".scorel/sessions");
  const trash = join(s.home, ".scorel/trash");
  // Many files, so that moving them takes a while.
  for (let n = 1; n <= FILES; n++) writeFileSync(join(sessions, `${sessionId}.torn-${n}`), "{");
  const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).length : 0);
  const states: string[] = [];
  for (const moment of MOMENTS) {
    for (const [action, to] of [["delete", trash] as const, ["restore", sessions] as const]) {
      const before = filesIn(to);
      const running = s.start(["session", action, sessionId]);
      const due = () => moment === "none" || filesIn(to) - before >= moment;
      while (!due() && running.child.exitCode === null) await soon();
      if (running.child.exitCode === null) process.kill(running.pid, "SIGKILL");
      await running.finished;
      const listed = s.logs().length === 1;
      states.push(`${action}: ${listed ? "listed" : "restorable"}`);
      if (!listed) expect(await s.run(["session", "restore", sessionId])).toMatchObject({ code: 0 });
      expect(await s.run(["session", "verify", sessionId])).toMatchObject({ code: 0 });
      expect((await s.run(["session", "show", sessionId])).stdout).toContain("kept");
      if (action === "delete") expect(await s.run(["session", "delete", sessionId])).toMatchObject({ code: 0 });
    }
  }
  expect(new Set(states)).toEqual(
    new Set(["delete: listed", "delete: restorable", "restore: restorable", "restore: listed"]),
  );
});
