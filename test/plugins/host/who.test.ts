import { clientName } from "@scorel/host/client";
import type { Client, Delivered, HostService } from "@scorel/host/contract";
import type { AnyEvent } from "@scorel/kernel";
import { expect, it } from "vitest";
import { delayUntil, gate, startModelServer, text, toolCall } from "../../model-server.ts";
import { agentHost } from "./agent-host.ts";
import { testHome } from "./home.ts";

/**
 * Two named clients in one session, and the events that the first of them receives. The first reply waits for
 * `proceed`.
 */
async function two() {
  const home = testHome();
  const answering = gate();
  const server = await startModelServer((_request, index) => [
    ...(index === 0 ? [delayUntil(answering.promise)] : []),
    ...(index === 0 ? [toolCall("nothing", {})] : [text(`reply ${index}`)]),
  ]);
  const { kernel } = await agentHost(server.baseUrl);
  const host = kernel.find("host") as HostService;
  const [anna, ben] = [host.connect({ name: "terminal" }), host.connect({ name: "Ben\u2019s  Editor\u001b[2J" })];
  const { sessionId } = await anna.request("create_session", { cwd: home.cwd });
  const heard: AnyEvent[] = [];
  await anna.subscribe(sessionId, ({ event }: Delivered) => void heard.push(event as AnyEvent));
  const send = async (client: Client, content: string) =>
    (await client.request("send_message", { sessionId, content })).id;
  return {
    anna,
    ben,
    host,
    sessionId,
    heard,
    send,
    proceed: answering.open,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

it("all events of a turn carry the id of the client whose message the turn answers", async () => {
  await using t = await two();
  const { anna, ben, sessionId, heard } = t;
  const first = await t.send(anna, "go");
  const second = await t.send(ben, "and then this");
  t.proceed();
  await Promise.all([
    anna.request("wait_turn", { sessionId, id: first }),
    ben.request("wait_turn", { sessionId, id: second }),
  ]);
  await anna.drained(sessionId);
  const turn = heard.slice(heard.findIndex(({ type }) => type === "message"));
  const by = turn.filter(({ type }) => !type.endsWith("_delta") && type !== "queue_update");
  const delivered = by.findIndex(({ clientId, type }) => type === "message" && clientId === ben.clientId);
  expect(by.slice(0, delivered).map(({ type }) => type)).toContain("turn_end");
  const authors = (events: readonly AnyEvent[]) => [...new Set(events.map(({ clientId }) => clientId))];
  // Ben joined in between, and is the author of that event.
  const joined = by.filter(({ type }) => type === "client_joined");
  expect(authors(by.slice(0, delivered).filter((event) => !joined.includes(event)))).toEqual([anna.clientId]);
  expect(authors(by.slice(delivered))).toEqual([ben.clientId]);
  expect(by.slice(delivered).map(({ type }) => type)).toEqual(
    expect.arrayContaining(["message_start", "message", "turn_end", "turn_finish", "runtime_end"]),
  );
});

it("clients with names are told of each other, in the session and in its status; others work unnoticed", async () => {
  await using t = await two();
  const { anna, ben, host, sessionId, heard } = t;
  const silent = host.connect();
  expect(await anna.request("get_status", { sessionId })).not.toHaveProperty("present");
  await silent.subscribe(sessionId, () => {});
  await ben.subscribe(sessionId, () => {});
  await ben.subscribe(sessionId, () => {});
  const present = [
    { clientId: anna.clientId, name: "terminal" },
    { clientId: ben.clientId, name: "ben-s-editor-2j" },
  ];
  expect(await anna.request("get_status", { sessionId })).toMatchObject({ clients: 3, present });
  expect(present.map(({ clientId }) => clientName(clientId))).toEqual(["terminal", "ben-s-editor-2j"]);
  expect(clientName(silent.clientId)).toBeUndefined();
  await silent.close();
  await ben.close();
  await anna.drained(sessionId);
  expect(heard).toMatchObject([
    { type: "client_joined", clientId: ben.clientId, name: "ben-s-editor-2j" },
    { type: "client_left", clientId: ben.clientId, name: "ben-s-editor-2j" },
  ]);
});

it("a client that cannot be reached now, as one that was killed, is not shown as present", async () => {
  await using t = await two();
  const { anna, host, sessionId } = t;
  let isThere = true;
  const gone = host.connect({ name: "editor", isHere: () => isThere });
  await gone.subscribe(sessionId, () => {});
  const names = async () => (await anna.request("get_status", { sessionId })).present?.map(({ name }) => name);
  expect(await names()).toEqual(["terminal", "editor"]);
  isThere = false;
  expect(await names()).toEqual(["terminal"]);
});

it("clients of one name get numbers from the host, which are free again when they leave", async () => {
  await using t = await two();
  const names = (...clients: Client[]) => clients.map(({ clientId }) => clientName(clientId));
  const [second, claimed, third] = ["terminal", "terminal-2", "Terminal"].map((name) => t.host.connect({ name }));
  expect(names(t.anna, second as Client, claimed as Client, third as Client)).toEqual([
    ...["terminal", "terminal-2", "terminal-3", "terminal-4"],
  ]);
  await second?.close();
  const next = t.host.connect({ name: "terminal" });
  // Closing a second time does not release the name, which another client has by now.
  await second?.close();
  expect(names(next, t.host.connect({ name: "terminal" }))).toEqual(["terminal-2", "terminal-5"]);
});

it("a client that only reads, or whose message is refused, is neither announced nor shown as present", async () => {
  await using t = await two();
  const { anna, ben, sessionId, heard } = t;
  const turn = await t.send(anna, "go");
  await ben.request("load_session", { sessionId });
  await expect(ben.request("send_message", { sessionId, content: "now", running: "refuse" })).rejects.toMatchObject({
    code: "AGENT_BUSY",
  });
  expect(await anna.request("get_status", { sessionId })).toMatchObject({
    clients: 2,
    present: [{ clientId: anna.clientId, name: "terminal" }],
  });
  await ben.request("close_session", { sessionId });
  t.proceed();
  await anna.request("wait_turn", { sessionId, id: turn });
  await anna.drained(sessionId);
  expect(heard.filter(({ type }) => type.startsWith("client_"))).toEqual([]);
});
