import { existsSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@scorel/agent";
import coding from "@scorel/coding";
import { changeQueue } from "@scorel/host/client";
import type { Client, Operation } from "@scorel/host/contract";
import type { AnyPlugin, KernelEntry } from "@scorel/kernel";
import local from "@scorel/local";
import model from "@scorel/model";
import permissions from "@scorel/permissions";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { delayUntil, gate, startModelServer, text, toolCall } from "../../model-server.ts";
import { customModel, impatient } from "../agent/setup.ts";
import { testWeb } from "./home.ts";

const forbidden = { code: "HOST_FORBIDDEN" };

/**
 * A session with the real agent and tools, a WebSocket client for each token, by name, and a turn that runs until
 * `proceed` is called.
 */
async function busySession() {
  const answering = gate();
  const server = await startModelServer((_request, index) => [
    ...(index === 0 ? [delayUntil(answering.promise)] : []),
    text("ok"),
  ]);
  const entry = (plugin: AnyPlugin, config: object = {}): KernelEntry => ({ plugin, origin: "test", config });
  const agent = entry(createAgent(impatient), { retries: 0 });
  const given = entry(model, { ...customModel, baseUrl: server.baseUrl });
  const guards = [requests, entry(permissions, { mode: "full" })];
  const t = await testWeb({}, {}, [given, agent, tools, ...guards, local, coding]);
  await t.write("viewer", ["view"]);
  await t.write("ann", ["view", "prompt"]);
  await t.write("ben", ["view", "prompt"]);
  await t.write("phone", ["view", "prompt", "approve"]);
  const [owner, window] = [await t.connect(), await t.connect()];
  const { sessionId } = await owner.request("create_session", { cwd: t.home.cwd });
  const send = async (client: Client, content: string) =>
    (await client.request("send_message", { sessionId, content })).id;
  await send(owner, "go");
  return {
    ...t,
    owner,
    window,
    sessionId,
    send,
    queue: async () =>
      (await owner.request("get_queue", { sessionId })).items.map(({ content, mode }) => [content, mode]),
    rewrite: (client: Client, items: { id: string; content?: string; mode?: "steer" | "follow_up" }[]) =>
      client.request("rewrite_queue", { sessionId, items }),
    async [Symbol.asyncDispose]() {
      answering.open();
      await t[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

it("a client that may only prompt changes, moves and removes its own waiting messages, and no others", async () => {
  await using t = await busySession();
  const [ann, ben] = [await t.connect({ name: "ann" }), await t.connect({ name: "ben" })];
  const a = await t.send(ann, "a");
  const b = await t.send(ben, "b");
  const o = await t.send(t.owner, "o");
  const before = await t.queue();
  const refused: Parameters<typeof t.rewrite>[1][] = [
    [{ id: a }, { id: o }],
    [{ id: a }, { id: b, content: "not b" }, { id: o }],
    [{ id: a }, { id: b, mode: "steer" }, { id: o }],
    [{ id: a }, { id: o }, { id: b }],
    [],
  ];
  for (const items of refused) await expect(t.rewrite(ann, items)).rejects.toMatchObject(forbidden);
  await expect(t.rewrite(ann, [])).rejects.toThrow(
    "This client may not do that (changing waiting messages of other clients): that needs a connection that may answer a question.",
  );
  expect(await t.queue()).toEqual(before);
  await t.rewrite(ann, [{ id: b }, { id: o, mode: "follow_up" }, { id: a, content: "A", mode: "steer" }]);
  expect(await t.queue()).toEqual([
    ["b", "follow_up"],
    ["o", "follow_up"],
    ["A", "steer"],
  ]);
  await changeQueue(ben, t.sessionId, (items) => items.filter(({ id }) => id !== b));
  expect(await t.queue()).toEqual([
    ["o", "follow_up"],
    ["A", "steer"],
  ]);
});

it("a message that arrives while a client that may only prompt changes the queue is not lost", async () => {
  await using t = await busySession();
  const ann = await t.connect({ name: "ann" });
  const a = await t.send(ann, "a");
  const [changed, o] = await Promise.allSettled([t.rewrite(ann, []), t.send(t.owner, "o")]);
  expect(o.status).toBe("fulfilled");
  expect((await t.queue()).at(-1)).toEqual(["o", "follow_up"]);
  if (changed.status === "rejected") expect([changed.reason.code, a]).toEqual(["HOST_FORBIDDEN", a]);
  else expect(await t.queue()).toHaveLength(1);
});

it("the owner's terminals, and clients that may answer questions, change all waiting messages", async () => {
  await using t = await busySession();
  const [ann, phone] = [await t.connect({ name: "ann" }), await t.connect({ name: "phone" })];
  const a = await t.send(ann, "a");
  const o = await t.send(t.owner, "o");
  await t.rewrite(t.window, [{ id: o, content: "O" }, { id: a }]);
  await t.rewrite(phone, [{ id: a, content: "A" }]);
  expect(await t.queue()).toEqual([["A", "follow_up"]]);
});

it("a client that may only prompt ends its own shell lines, and no others", async () => {
  await using t = await busySession();
  const { sessionId, owner, window } = t;
  const [ann, phone] = [await t.connect({ name: "ann" }), await t.connect({ name: "phone" })];
  const begin = async (client: Client, name: string) => {
    const command = `touch ${name}; sleep 300`;
    const { eventId } = await client.request("run_shell", { sessionId, command });
    await eventually(() => expect(existsSync(join(t.home.cwd, name))).toBe(true));
    return eventId;
  };
  const ends = async (client: Client, eventId?: string) =>
    (await client.request("end_shell", { sessionId, ...(eventId !== undefined && { eventId }) })).ended;
  const [own, first, second] = [await begin(ann, "own"), await begin(owner, "one"), await begin(owner, "two")];
  await expect(ends(ann, first)).rejects.toMatchObject(forbidden);
  expect(await ends(ann, own)).toBe(true);
  expect(await ends(ann, own)).toBe(false);
  await begin(ann, "again");
  expect(await ends(ann)).toBe(true);
  expect(await ends(ann)).toBe(false);
  expect(await ends(window, first)).toBe(true);
  expect(await ends(phone, second)).toBe(true);
});

it("slash commands that a viewer may not run answer one code, also without their arguments", async () => {
  await using t = await busySession();
  const viewer = await t.connect({ name: "viewer" });
  const run = (name: string, args = "") =>
    viewer.request("run_command" as Operation, { sessionId: t.sessionId, name, args } as never);
  for (const [name, args] of [["login"], ["login", "openai"], ["logout"], ["reload"]] as const)
    await expect(run(name, args)).rejects.toMatchObject(forbidden);
});

it("a turn of a client that may not answer questions does nothing unapproved, even in a session that it has opened", async () => {
  const server = await startModelServer((_request, index) =>
    index === 0 ? toolCall("Write", { path: "made.txt", content: "x" }) : text("ok"),
  );
  const entry = (plugin: AnyPlugin, config: object = {}): KernelEntry => ({ plugin, origin: "test", config });
  const given = entry(model, { ...customModel, baseUrl: server.baseUrl });
  const agent = entry(createAgent(impatient), { retries: 0 });
  await using t = await testWeb({}, {}, [given, agent, tools, requests, entry(permissions), local, coding]);
  await t.write("ann", ["view", "prompt"]);
  const ann = await t.connect({ name: "ann" });
  const { sessionId, permission } = await ann.request("create_session", { cwd: t.home.cwd });
  expect(permission).toBe("ask");
  const { id } = await ann.request("send_message", { sessionId, content: "make it" });
  await ann.request("wait_turn", { sessionId, id });
  expect(existsSync(join(t.home.cwd, "made.txt"))).toBe(false);
  await server.close();
});

it("a client is told which answers its token lets it give, and which it does not", async () => {
  await using t = await busySession();
  const { sessionId } = t;
  expect(await t.owner.request("get_rights", {})).toEqual({
    ...{ write: true, answer: true, lasting: true, operations: "all" },
  });
  const phone = await t.connect({ name: "phone" });
  const { operations, ...rights } = await phone.request("get_rights", { sessionId });
  expect(rights).toEqual({ write: true, answer: true, lasting: false });
  expect(operations).toContain("answer_request");
  expect(operations).not.toContain("set_permission");
});
