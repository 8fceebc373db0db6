import { mkdirSync, rmSync } from "node:fs";
import history from "@scorel/history";
import { definePlugin, type EventDefinition, type StoredEvent } from "@scorel/kernel";
import prompt from "@scorel/prompt";
import skills from "@scorel/skills";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, echoAgent, testHost } from "../host/home.ts";
import { call, desk, result, wordsOf } from "./desk.ts";

describe("a copy up to an event", () => {
  it("has the conversation, settings and instructions as of that event", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    await session.append("custom", { kind: "kept", data: 1 });
    await t.say("two");
    await session.append("custom", { kind: "left", data: 2 });
    await client.request("rename_session", { sessionId, name: "Mine" });
    await client.request("undo", { sessionId });
    await t.say("three");
    const copy = await client.request("clone_session", { sessionId, eventId: one.slice(0, 10) });
    const { messages } = await client.request("get_context", { sessionId: copy.sessionId });
    const { header, events } = await client.request("get_events", { sessionId: copy.sessionId });
    expect(messages.map(wordsOf)).toEqual(["one", "echo: one"]);
    expect(copy).toMatchObject({ leafId: one, meta: { name: "Mine" } });
    expect(header.clonedFrom).toEqual({ deviceId: session.header.deviceId, sessionId, eventId: one });
    expect(
      events.map(({ event }) => [event.type, (event as { kind?: string }).kind, (event as StoredEvent).seq]),
    ).toEqual([
      ["message", undefined, 1],
      ["message", undefined, 2],
      ["custom", "kept", 3],
      ["session_info", undefined, 4],
    ]);
    expect(session.activeLeaf).not.toBe(one);
  });

  it("has the latest instructions and all loaded skills of any branch, and no queued messages", async () => {
    const real = { ...prompt.events, ...skills.events } as Readonly<Record<string, EventDefinition | undefined>>;
    const noted = definePlugin({
      id: "noted",
      name: "Noted",
      version: "1.0.0",
      events: Object.fromEntries(
        ["instruction_snapshot", "queue_update", "approval", "skill_index", "skill_content"].map((type) => [
          type,
          {
            schema: z.looseObject({}),
            leaf: (_event: unknown, current: string | null) => current,
            copied: real[type]?.copied,
          },
        ]),
      ),
    });
    await using t = await desk([echoAgent, noted]);
    const { client, sessionId, session } = t;
    const append = (type: string, payload: object) => session.append(type as "custom", payload as never);
    await append("instruction_snapshot", { blocks: ["old"] });
    const one = await t.say("one");
    await t.say("two");
    const { id: latest } = await append("instruction_snapshot", { blocks: ["new"] });
    const { id: index } = await append("skill_index", { skills: [] });
    const { id: loaded } = await append("skill_content", { path: "SKILL.md" });
    await append("queue_update", { items: ["waits"] });
    await append("approval", { asked: "may I?" });
    await client.request("undo", { sessionId });
    await client.request("rewind", { sessionId, targetEventId: one });
    const copy = await client.request("clone_session", { sessionId });
    const { events } = await client.request("get_events", { sessionId: copy.sessionId });
    const beside = events.map(({ event }) => event as StoredEvent).filter(({ type }) => type !== "message");
    expect(beside).toMatchObject([
      { type: "instruction_snapshot", id: latest, parentId: one, blocks: ["new"] },
      { type: "skill_index", id: index },
      { type: "skill_content", id: loaded },
    ]);
  });

  it("ends only at a point where a conversation can continue", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    const calls = await t.write({ role: "assistant", content: [call("c1")] });
    await t.write(result("c1"));
    const clone = (eventId: string) => client.request("clone_session", { sessionId, eventId });
    await expect(clone(calls)).rejects.toMatchObject({ code: "HISTORY_NO_POINT" });
    await expect(clone("none?")).rejects.toMatchObject({ code: "HISTORY_EVENT_UNKNOWN" });
  });

  it("needs the history plugin", async () => {
    await using t = await desk();
    const one = await t.say("one");
    await t.client.request("close_session", { sessionId: t.sessionId });
    await using plain = await testHost([echoAgent]);
    const asked = { sessionId: t.sessionId, eventId: one };
    await expect(plain.client.request("clone_session", asked)).rejects.toMatchObject({ code: "HOST_NO_HISTORY" });
  });

  it("is made once when a request is repeated, even by another process", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    const asked = { sessionId, messageId: "c1", atOnce: true };
    const [first, again] = await Promise.all([
      client.request("clone_session", asked),
      client.request("clone_session", asked),
    ]);
    expect(again.sessionId).toBe(first.sessionId);
    await ask(client, first.sessionId, "two");
    await client.close();
    await using next = await testHost([echoAgent], [], [history]);
    const later = await next.client.request("clone_session", asked);
    expect(later.sessionId).toBe(first.sessionId);
    expect((await next.client.request("get_context", { sessionId: later.sessionId })).messages).toHaveLength(4);
    expect(t.home.files().filter((name) => name.endsWith(".jsonl"))).toHaveLength(2);
  });

  it("is on disk before its first event, on request", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    const copy = await client.request("clone_session", { sessionId, atOnce: true });
    await client.close();
    await using next = await testHost([echoAgent], [], [history]);
    const { messages } = await next.client.request("get_context", { sessionId: copy.sessionId });
    expect(messages.map(wordsOf)).toEqual(["one", "echo: one"]);
  });

  it("that cannot be written fails and leaves nothing open", async () => {
    await using t = await desk();
    const { client, sessionId, home } = t;
    await t.say("one");
    // A folder in place of the copy's lock file, so that the copy cannot be opened.
    const asked = { sessionId, atOnce: true, messageId: "m1" };
    const copy = (await client.request("clone_session", asked)).sessionId;
    await client.request("delete_session", { sessionId: copy });
    mkdirSync(home.session(`${copy}.lock`));
    await expect(client.request("clone_session", asked)).rejects.toMatchObject({ code: "HOST_STORAGE" });
    rmSync(home.session(`${copy}.lock`), { recursive: true });
    expect((await client.request("clone_session", asked)).sessionId).toBe(copy);
    expect(home.files()).toContain(`${copy}.jsonl`);
  });
});
