import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectHost } from "@scorel/host/client";
import { expect, it } from "vitest";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { type Running, type Scratch, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { startModelServer, text } from "../model-server.ts";

async function serve(s: Scratch): Promise<Running> {
  const running = s.start(["host", "serve", "--foreground"]);
  await running.line((line) => line.startsWith("socket: "));
  return running;
}

function connect(s: Scratch) {
  const dial = async () => {
    const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
    return dialSocket(addresses[0].address);
  };
  return connectHost({ dial, version: "1.0.0" });
}

it("a shell line whose host is killed is interrupted, and never runs twice", { timeout: 60_000 }, async () => {
  using s = scratch();
  await using server = await startModelServer([text("I see.")]);
  s.useModel(server.baseUrl);
  const killed = await serve(s);
  const before = await connect(s);
  const { sessionId } = await before.request("create_session", { cwd: s.project });
  const line = { sessionId, command: "echo $$ >> ran; sleep 300", messageId: "m1" };
  const { eventId } = await before.request("run_shell", line);
  await eventually(() => expect(existsSync(join(s.project, "ran"))).toBe(true));
  killed.child.kill("SIGKILL");
  await killed.finished;
  before.close();

  const host = await serve(s);
  const client = await connect(s);
  expect(await client.request("run_shell", line)).toEqual({ eventId });
  const other = client.request("run_shell", { ...line, command: "echo other >> ran" });
  await expect(other).rejects.toMatchObject({ code: "MESSAGE_ID_REUSED" });
  const { events } = await client.request("get_events", { sessionId });
  expect(events.filter(({ event }) => event.type === "shell_line").map(({ display }) => display)).toEqual([
    {
      display: "card",
      title: `! ${line.command}`,
      status: "error",
      text: "[interrupted: the host ended while the command ran; its output is lost, and what the command has done is unknown]",
    },
  ]);
  const { id } = await client.request("send_message", { sessionId, content: "and?" });
  await client.request("wait_turn", { sessionId, id });
  expect(server.requests[0]?.text).toContain("[interrupted: the host ended while the command ran;");
  const pids = readFileSync(join(s.project, "ran"), "utf8").trim().split("\n");
  expect(pids).toHaveLength(1);
  client.close();
  host.child.kill("SIGTERM");
  await host.finished;
  for (const pid of pids.map(Number))
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended with its host.
    }
});
