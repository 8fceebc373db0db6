import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scanLog } from "../../plugins/logs/scan.ts";
import { delayUntil, gate, hang, startModelServer, text } from "../model-server.ts";
import { agentHost } from "../plugins/host/agent-host.ts";
import { type TestHome, testHome } from "../plugins/host/home.ts";
import { secondProcess } from "../second-process.ts";

const sent = ["go", "steer", "follow 1", "follow 2"];

/** Kills a process at the model call with this number; returns the id of its session. */
async function killedAt(call: number, { cwd }: TestHome, folder: string): Promise<string> {
  const all = gate();
  await using server = await startModelServer((_, index) => [
    ...(index === 0 ? [delayUntil(all.promise)] : []),
    text(`reply ${index}`),
    ...(index === call ? [hang()] : []),
  ]);
  const reached = server.request(call);
  await using runner = await secondProcess(new URL("queue-runner.ts", import.meta.url), folder, [server.baseUrl, cwd]);
  const said = [await runner.line(), await runner.line(), await runner.line(), await runner.line()];
  expect(said.map((line) => line.split(" ")[1])).toEqual(["started", "queued", "queued", "queued"]);
  all.open();
  await reached;
  await runner.kill();
  return (said[0] ?? "").split(" ")[0] ?? "";
}

const users = (home: TestHome, sessionId: string) =>
  scanLog(home.session(`${sessionId}.jsonl`))
    .events.filter((event: any) => event.message?.role === "user")
    .map((event: any) => event.message.content);

it.each([0, 1, 2, 3])(
  "a queue of a process that is killed during model call %i is delivered by the next process, each message once",
  async (call) => {
    using home = testHome();
    const folder = mkdtempSync(join(tmpdir(), "scorel-queue-"));
    try {
      const sessionId = await killedAt(call, home, folder);
      await using server = await startModelServer(() => text("ok"));
      await using t = await agentHost(server.baseUrl);
      const left = (await t.client.request("get_queue", { sessionId })).items.map(({ content }) => content);
      expect([...users(home, sessionId), ...left]).toEqual(sent);
      expect(left).toEqual(sent.slice(call + 1));
      const { status, id } = await t.client.request("run_queue", { sessionId });
      if (id !== undefined) await t.client.request("wait_turn", { sessionId, id });
      expect(status).toBe(call === 3 ? "empty" : "started");
      expect(users(home, sessionId)).toEqual(sent);
      const { id: next } = await t.client.request("send_message", { sessionId, content: "again" });
      await t.client.request("wait_turn", { sessionId, id: next });
      expect(users(home, sessionId)).toEqual([...sent, "again"]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

it("a queue that a killed process left is sent with the next message", async () => {
  using home = testHome();
  const folder = mkdtempSync(join(tmpdir(), "scorel-queue-"));
  try {
    const sessionId = await killedAt(0, home, folder);
    await using server = await startModelServer(() => text("ok"));
    await using t = await agentHost(server.baseUrl);
    expect(await t.client.request("load_session", { sessionId })).toMatchObject({ running: false, waiting: 3 });
    const { id } = await t.client.request("send_message", { sessionId, content: "again" });
    await t.client.request("wait_turn", { sessionId, id });
    expect(users(home, sessionId)).toEqual(["go", "again", "steer", "follow 1", "follow 2"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
