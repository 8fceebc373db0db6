import { definePlugin, type EventOf } from "@scorel/kernel";
import type {} from "@scorel/messages/contract";
import { expect, it } from "vitest";
import { Conversation } from "../../../plugins/terminal/app/conversation.ts";
import { ShownSession } from "../../../plugins/terminal/app/shown-session.ts";
import { en } from "../../../plugins/terminal/words/en.ts";
import { eventually } from "../../eventually.ts";
import { gate } from "../../model-server.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";

/** A terminal's conversation in the first of two sessions, with commands that end when `release` is called. */
async function conversing() {
  const home = testHome();
  const released = gate();
  let begun = false;
  const held = async (made: object, signal?: AbortSignal) => {
    begun = true;
    signal?.addEventListener("abort", () => released.open());
    await released.promise;
    return made;
  };
  const other = { id: "" };
  const commands = () => ({
    slow: { run: (_args: unknown, { signal }: { signal: AbortSignal }) => held({}, signal) },
    over: { run: () => held({ sessionId: other.id }) },
  });
  const slow = definePlugin({ id: "slow", name: "Slow", version: "1.0.0", commands });
  const t = await testHost([echoAgent, slow]);
  const { client } = t;
  const create = () => client.request("create_session", { cwd: home.cwd });
  const [first, second, third] = [await create(), await create(), await create()];
  other.id = second.sessionId;
  const offered: string[] = [];
  const told: string[] = [];
  const listener = {
    entered() {},
    passed() {},
    changed() {},
    offered: ({ text }: { text: string }) => void offered.push(text),
    unsent() {},
    waits() {},
    told: (text: string) => void told.push(text),
  } as never;
  const session = new ShownSession(client, listener, en);
  const conversation = new Conversation(client, session, listener, en);
  // A session in which nothing was said is deleted when it is left.
  for (const { sessionId } of [first, second, third])
    await client.request("send_message", { sessionId, content: "hello" });
  await session.enter(first);
  const said = async (sessionId: string) => {
    const { events } = await client.request("get_events", { sessionId });
    const messages = events.flatMap(({ event }) => (event.type === "message" ? [event as EventOf<"message">] : []));
    return messages.flatMap(({ message }) => (message.role === "user" ? [message.content] : []));
  };
  return {
    ...{ conversation, session, third, offered, told, release: () => released.open(), isBegun: () => begun },
    said: async () => [await said(first.sessionId), await said(second.sessionId), await said(third.sessionId)],
    async [Symbol.asyncDispose]() {
      await t[Symbol.asyncDispose]();
      home[Symbol.dispose]();
    },
  };
}

it("a message that waits for a command goes to its own session, although another one is shown by now", async () => {
  await using t = await conversing();
  const command = t.conversation.command("slow");
  await eventually(() => expect(t.isBegun()).toBe(true));
  const message = t.conversation.send({ text: "for the first" });
  await t.session.enter(t.third);
  t.release();
  await Promise.all([command, message]);
  expect(await t.said()).toEqual([["hello", "for the first"], ["hello"], ["hello"]]);
});

it("a message that waits for a command goes to the session that the command leads to", async () => {
  await using t = await conversing();
  const command = t.conversation.command("over");
  await eventually(() => expect(t.isBegun()).toBe(true));
  const message = t.conversation.send({ text: "for the second" });
  t.release();
  await Promise.all([command, message]);
  await t.conversation.send({ text: "and another" });
  expect(await t.said()).toEqual([["hello"], ["hello", "for the second", "and another"], ["hello"]]);
});

it("what was entered after a command goes back to the field when the command is cancelled", async () => {
  await using t = await conversing();
  const command = t.conversation.command("slow").catch(() => {});
  await eventually(() => expect(t.isBegun()).toBe(true));
  const messages = ["and then", "and last"].map((text) => t.conversation.send({ text }));
  await t.conversation.cancelCommand();
  await Promise.all([command, ...messages]);
  expect([t.offered, t.told]).toEqual([["and then\n\nand last"], [en.takenBack]]);
  expect(await t.said()).toEqual([["hello"], ["hello"], ["hello"]]);
});
