import { changeQueue } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { delayUntil, gate, type RecordedRequest, startModelServer, text } from "../../model-server.ts";
import { agentHost } from "./agent-host.ts";
import { testHome } from "./home.ts";

const lastUser = ({ body }: RecordedRequest) => body.messages.findLast((said: any) => said.role === "user").content;

/** A turn whose first reply waits for `proceed`, and two messages that are queued behind it. */
async function twoWaiting() {
  const home = testHome();
  const answering = gate();
  const server = await startModelServer((request, index) => [
    ...(index === 0 ? [delayUntil(answering.promise)] : []),
    text(`re: ${JSON.stringify(lastUser(request))}`),
  ]);
  const { client, kernel } = await agentHost(server.baseUrl);
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  const send = async (content: string) => (await client.request("send_message", { sessionId, content })).id;
  const ids = [await send("go"), await send("one"), await send("two")] as const;
  return {
    client,
    kernel,
    sessionId,
    ids,
    proceed: answering.open,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

it("a queued message whose text another client has changed belongs to that client", async () => {
  await using t = await twoWaiting();
  const { sessionId, client } = t;
  const [, one, two] = t.ids;
  const phone = t.kernel.find("host")?.connect({ clientId: "phone" });
  await phone?.request("rewrite_queue", { sessionId, items: [{ id: two }, { id: one, content: "changed" }] });
  const { items } = await client.request("get_queue", { sessionId });
  expect(items.map(({ content, clientId }) => [content, clientId])).toEqual([
    ["two", "tester"],
    ["changed", "phone"],
  ]);
  t.proceed();
});

it("queued messages can be listed, edited, switched, reordered and removed, and repeated requests have no further effect", async () => {
  await using t = await twoWaiting();
  const { client, sessionId } = t;
  const [, one, two] = t.ids;
  const { seq, items } = await client.request("get_queue", { sessionId });
  expect(items).toEqual([
    { id: one, mode: "follow_up", content: "one", clientId: "tester" },
    { id: two, mode: "follow_up", content: "two", clientId: "tester" },
  ]);
  expect(await client.request("get_status", { sessionId })).toMatchObject({ running: true, waiting: 2 });
  const wanted = {
    sessionId,
    items: [
      { id: two, mode: "steer" as const },
      { id: one, content: "one, or three" },
    ],
    expectedSeq: seq,
    messageId: "m1",
  };
  const done = { items: [{ id: two }, { id: one }] };
  expect(await client.request("rewrite_queue", wanted)).toEqual(done);
  expect(await client.request("rewrite_queue", wanted)).toEqual(done);
  expect((await client.request("get_queue", { sessionId })).items).toEqual([
    { id: two, mode: "steer", content: "two", clientId: "tester" },
    { id: one, mode: "follow_up", content: "one, or three", clientId: "tester" },
  ]);
  await expect(client.request("rewrite_queue", { ...wanted, messageId: "m2" })).rejects.toMatchObject({
    code: "AGENT_QUEUE_CONFLICT",
  });
  const wrong = { sessionId, items: [{ id: one, mode: "later" as "steer" }] };
  await expect(client.request("rewrite_queue", wrong)).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
  await client.request("rewrite_queue", { sessionId, items: [{ id: one }] });
  expect(await client.request("wait_turn", { sessionId, id: two })).toMatchObject({ reason: "cancelled" });
  t.proceed();
  expect(await client.request("wait_turn", { sessionId, id: one })).toMatchObject({ text: 're: "one, or three"' });
  await expect(client.request("rewrite_queue", { sessionId, items: [{ id: one }] })).rejects.toMatchObject({
    code: "AGENT_QUEUE_UNKNOWN",
    message: expect.stringContaining("it was delivered as event"),
  });
  expect(await client.request("run_queue", { sessionId })).toEqual({ status: "empty" });
});

it("messages left by a cancelled turn can be sent on request", async () => {
  await using t = await twoWaiting();
  const { client, sessionId } = t;
  expect(await client.request("run_queue", { sessionId })).toEqual({ status: "running" });
  await client.request("cancel", { sessionId });
  const { status, id = "" } = await client.request("run_queue", { sessionId });
  expect(status).toBe("started");
  expect(await client.request("wait_turn", { sessionId, id })).toMatchObject({
    reason: "completed",
    text: 're: "two"',
  });
  const { waiting, running } = await client.request("get_status", { sessionId });
  expect({ waiting, running }).toEqual({ waiting: undefined, running: false });
});

it("a queued message whose client has left can be changed and removed by another client", async () => {
  await using t = await twoWaiting();
  const { client, sessionId } = t;
  const phone = t.kernel.find("host")?.connect({ clientId: "phone" }) as Client;
  const { id } = await phone.request("send_message", { sessionId, content: "of the phone" });
  await phone.close();
  const [, one] = t.ids;
  await client.request("rewrite_queue", { sessionId, items: [{ id: one }, { id, mode: "steer" }] });
  const { items } = await client.request("get_queue", { sessionId });
  expect(items.map(({ content, mode }) => [content, mode])).toEqual([
    ["one", "follow_up"],
    ["of the phone", "steer"],
  ]);
  await client.request("rewrite_queue", { sessionId, items: [{ id: one }] });
  expect((await client.request("get_queue", { sessionId })).items).toHaveLength(1);
  t.proceed();
});

it("a change of the queue is computed again when somebody else has changed the queue meanwhile", async () => {
  await using t = await twoWaiting();
  const { sessionId, client } = t;
  const [, one, two] = t.ids;
  const phone = t.kernel.find("host")?.connect({ clientId: "phone" }) as Client;
  let interfered = false;
  const request = (async (operation, params) => {
    if (operation === "rewrite_queue" && !interfered) {
      interfered = true;
      await phone.request("rewrite_queue", { sessionId, items: [{ id: one, content: "of the phone" }, { id: two }] });
    }
    return client.request(operation, params);
  }) as Client["request"];
  const seen: unknown[] = [];
  const isDone = await changeQueue({ request }, sessionId, (items, queue) => {
    seen.push(queue.map(({ content }) => content));
    return [...items].reverse();
  });
  const { items } = await client.request("get_queue", { sessionId });
  expect([isDone, seen, items.map(({ content }) => content)]).toEqual([
    true,
    [
      ["one", "two"],
      ["of the phone", "two"],
    ],
    ["two", "of the phone"],
  ]);
  expect(await changeQueue(client, sessionId, () => undefined)).toBe(false);
  t.proceed();
});

it("a change of the queue that is repeated after a lost response is made once", async () => {
  await using t = await twoWaiting();
  const { sessionId, client } = t;
  const twice = (async (operation, params) => {
    const result = await client.request(operation, params);
    return operation === "rewrite_queue" ? client.request(operation, params) : result;
  }) as Client["request"];
  await changeQueue({ request: twice }, sessionId, (items) => items.slice(1));
  const { items } = await client.request("get_queue", { sessionId });
  const { events } = await client.request("get_events", { sessionId });
  expect([
    items.map(({ content }) => content),
    events.filter(({ event }) => event.type === "queue_update").length,
  ]).toEqual([["two"], 3]);
  t.proceed();
});

it("queued messages have the outcome of the turn that answers them, also if the session was reloaded before", async () => {
  await using t = await twoWaiting();
  const { client, sessionId } = t;
  const [, one, two] = t.ids;
  await client.request("cancel", { sessionId });
  t.proceed();
  await client.request("reload_session", { sessionId });
  await client.request("run_queue", { sessionId });
  const outcomes = await Promise.all([one, two].map((id) => client.request("wait_turn", { sessionId, id })));
  expect(outcomes.map(({ reason, text }) => [reason, text])).toEqual(Array(2).fill(["completed", 're: "two"']));
});

it("those who wait for a queued message while its session is reloaded get the outcome of its turn", async () => {
  await using t = await twoWaiting();
  const { client, sessionId } = t;
  const [, one, two] = t.ids;
  await client.request("cancel", { sessionId });
  t.proceed();
  const waiting = [one, two].map((id) => client.request("wait_turn", { sessionId, id }));
  await client.request("reload_session", { sessionId });
  await client.request("run_queue", { sessionId });
  const outcomes = await Promise.all(waiting);
  expect(outcomes.map(({ reason, text }) => [reason, text])).toEqual(Array(2).fill(["completed", 're: "two"']));
});

it("those who wait for a queued message learn that its session was closed", async () => {
  await using t = await twoWaiting();
  const { client, sessionId } = t;
  await client.request("cancel", { sessionId });
  t.proceed();
  const waiting = client.request("wait_turn", { sessionId, id: t.ids[1] as string });
  await client.request("close_session", { sessionId });
  expect(await waiting).toMatchObject({ reason: "cancelled", error: { code: "AGENT_STOPPED" } });
});
