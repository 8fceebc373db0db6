import requests from "@scorel/requests";
import { expect, it } from "vitest";
import { Tasks } from "../../plugins/mcp-server/tasks.ts";
import { hang, startModelServer, text, toolCall } from "../model-server.ts";
import { agentHost } from "./host/agent-host.ts";
import { testHome } from "./host/home.ts";

/** A clock whose delayed work runs when the test calls `pass`. */
function handTime() {
  const pending: { ms: number; work: () => void }[] = [];
  return {
    pending,
    after: (ms: number, work: () => void) => {
      const entry = { ms, work };
      pending.push(entry);
      return () => void pending.splice(pending.indexOf(entry), pending.includes(entry) ? 1 : 0);
    },
    /** Runs the work that is due after this many milliseconds. */
    async pass(ms: number) {
      await expect.poll(() => pending.map((entry) => entry.ms)).toContain(ms);
      const [entry] = pending.splice(
        pending.findIndex((each) => each.ms === ms),
        1,
      );
      entry?.work();
    },
  };
}

it("a task that runs longer than a call waits is reported with its messages so far, and the wait sends progress", async () => {
  using home = testHome();
  await using model = await startModelServer([
    [text("I look first."), toolCall("Look", {})],
    [text("Half"), hang()],
  ]);
  await using host = await agentHost(model.baseUrlFor("openai-completions"), { session: [requests] });
  const time = handTime();
  const { client } = host;
  const tasks = new Tasks({ client, root: home.cwd, options: {}, answers: false, log: () => {}, after: time.after });
  const { session } = await tasks.start("go", {});
  await expect.poll(() => model.requests.length).toBe(2);
  const told: string[] = [];
  const tell = async (message: string) => void told.push(message);
  const { signal } = new AbortController();
  const state = tasks.follow(session, 45_000, { signal, tell });
  await time.pass(10_000);
  await time.pass(10_000);
  await time.pass(45_000);
  expect(await state).toEqual({
    session,
    state: "running",
    text: "I look first.",
    hint: "The task is still running. Call follow_task again to go on waiting, or cancel_task to end it.",
  });
  expect(told).toEqual(["still running after 10 s", "still running after 20 s"]);
  expect(time.pending).toEqual([]);
  const failing = tasks.follow(session, 45_000, { signal, tell: () => Promise.reject(new Error("nobody reads")) });
  await Promise.all([expect(failing).rejects.toThrow("nobody reads"), time.pass(10_000)]);
  await tasks.end();
});
