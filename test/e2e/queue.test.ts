import { expect, it } from "vitest";
import { delayUntil, gate, hang, startModelServer, text } from "../model-server.ts";
import { secondProcess } from "../second-process.ts";
import { records, type Scratch, scratch } from "./scorel.ts";

const spokenBy = (log: string, role: string) =>
  records(log).flatMap(({ message }) => {
    const said = message as { role?: string; content?: unknown } | undefined;
    return said?.role === role ? [said.content] : [];
  });

/**
 * A session in which a killed process left three queued messages. `server` never answers the first request; later ones get
 * "ok".
 */
async function leftWaiting(s: Scratch) {
  const all = gate();
  const server = await startModelServer((_, index) => (index === 0 ? [delayUntil(all.promise), hang()] : text("ok")));
  s.useModel(server.baseUrl);
  const before = process.env.HOME;
  process.env.HOME = s.home;
  try {
    const script = new URL("../fault/queue-runner.ts", import.meta.url);
    await using runner = await secondProcess(script, s.home, [server.baseUrl, s.project]);
    for (let sent = 0; sent < 4; sent++) await runner.line();
    await runner.kill();
  } finally {
    process.env.HOME = before;
  }
  const [log = ""] = s.logs();
  return { log, sessionId: String(records(log)[0]?.sessionId), [Symbol.asyncDispose]: () => server.close() };
}

it("queued messages that a killed process left are shown, and sent with the next message", async () => {
  using s = scratch();
  await using left = await leftWaiting(s);
  const { log, sessionId } = left;
  const shown = await s.run(["session", "queue", sessionId]);
  expect(shown.stdout.replaceAll(/^\w{16}/gm, "ID")).toBe(
    "ID  steer      steer\nID  follow_up  follow 1\nID  follow_up  follow 2\n",
  );
  const { items } = JSON.parse((await s.run(["session", "queue", sessionId, "--output", "json"])).stdout);
  expect(items.map(({ mode, content }: { mode: string; content: string }) => [mode, content])).toEqual([
    ["steer", "steer"],
    ["follow_up", "follow 1"],
    ["follow_up", "follow 2"],
  ]);
  const talked = await s.run(["chat", "--session", sessionId], { input: "again\n" });
  expect(talked).toMatchObject({ code: 0, stdout: expect.stringContaining("(3 messages are still queued") });
  expect(spokenBy(log, "user")).toEqual(["go", "again", "steer", "follow 1", "follow 2"]);
  expect(await s.run(["session", "queue", sessionId])).toMatchObject({
    stdout: "",
    stderr: "No messages are queued in this session.\n",
  });
});

it("queued messages can be run by themselves", async () => {
  using s = scratch();
  await using left = await leftWaiting(s);
  const { log, sessionId } = left;
  expect(await s.run(["session", "queue", sessionId, "--run"])).toEqual({
    code: 0,
    signal: null,
    stdout: "ok\n",
    stderr: "",
  });
  expect(spokenBy(log, "user")).toEqual(["go", "steer", "follow 1", "follow 2"]);
  expect(await s.run(["session", "queue", sessionId, "--run"])).toMatchObject({
    code: 0,
    stdout: "The queue is empty.\n",
  });
  const told = await s.run(["session", "queue", sessionId, "--run", "--output", "json"]);
  expect(JSON.parse(told.stdout)).toEqual({
    status: "empty",
    output: "The queue is empty.",
    text: "The queue is empty.",
  });
});
