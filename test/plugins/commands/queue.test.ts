import commands from "@scorel/commands";
import { expect, it } from "vitest";
import { delayUntil, gate, type RecordedRequest, startModelServer, text } from "../../model-server.ts";
import { agentHost } from "../host/agent-host.ts";
import { testHome } from "../host/home.ts";
import { png, quarters } from "../images/pictures.ts";

const saidIn = ({ body }: RecordedRequest) => body.messages.findLast((said: any) => said.role === "user").content;

it("/queue edit changes the words of a message, and keeps its pictures", async () => {
  using home = testHome();
  const answering = gate();
  await using server = await startModelServer([[delayUntil(answering.promise), text("Well.")], text("Seen.")]);
  await using t = await agentHost(server.baseUrl, { session: [commands] });
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  await t.client.request("send_message", { sessionId, content: "go" });
  const picture = { type: "image" as const, mimeType: "image/png", data: png(2, 2, quarters(2, 2)).toString("base64") };
  const content = [{ type: "text" as const, text: "What is this?" }, picture];
  await t.client.request("send_message", { sessionId, content });
  await t.client.request("run_command", { sessionId, name: "queue", args: "edit 1 What do you see?" });
  const { items } = await t.client.request("get_queue", { sessionId });
  expect(items.map((item) => item.content)).toEqual([[{ type: "text", text: "What do you see?" }, picture]]);
  answering.open();
});

it("/queue lists, moves, edits, converts and deletes queued messages", async () => {
  using home = testHome();
  const answering = gate();
  await using server = await startModelServer((_request, index) => [
    ...(index === 0 ? [delayUntil(answering.promise)] : []),
    text("Well."),
  ]);
  await using t = await agentHost(server.baseUrl, { session: [commands] });
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
  const send = async (content: string) => (await t.client.request("send_message", { sessionId, content })).id;
  const queue = async (args: string) =>
    (await t.client.request("run_command", { sessionId, name: "queue", args })).output;
  await send("go");
  expect(await queue("")).toBe("The queue is empty.");
  await send("one");
  await send("two");
  const last = await send("three");
  expect(await queue("")).toBe("1. one\n2. two\n3. three");
  expect(await queue("move 3 1")).toBe("1. three\n2. one\n3. two");
  expect(await queue("edit 1 Three, and four.")).toBe("1. Three, and four.\n2. one\n3. two");
  expect(await queue("steer 2")).toBe("1. Three, and four.\n2. (steer) one\n3. two");
  expect(await queue("follow 2")).toBe("1. Three, and four.\n2. one\n3. two");
  expect(await queue("delete 2")).toBe("1. Three, and four.\n2. two");
  for (const wrong of ["delete 7", "delete", "move 1", "move 1 up", "edit 1", "paint 1"])
    await expect(queue(wrong)).rejects.toMatchObject({ code: expect.stringMatching(/^COMMAND_/) });
  expect(await queue("")).toBe("1. Three, and four.\n2. two");
  answering.open();
  await t.client.request("wait_turn", { sessionId, id: last });
  await expect.poll(() => server.requests.length).toBe(3);
  expect(server.requests.map(saidIn)).toEqual(["go", "Three, and four.", "two"]);
});
