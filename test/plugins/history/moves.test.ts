import history from "@scorel/history";
import type { Moved } from "@scorel/history/contract";
import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { shellEvents } from "../../../plugins/coding/shell/shell-events.ts";
import { sentenceEnd } from "../../../plugins/history/event-text.ts";
import { echoAgent, testHost } from "../host/home.ts";
import { call, desk, result } from "./desk.ts";

it("/undo offers the undone message for editing, with its pictures", async () => {
  await using t = await desk();
  const { client, sessionId } = t;
  await t.say("one");
  const picture = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
  await t.write({ role: "user", content: [{ type: "text", text: "see [image #1]" }, picture] });
  const undo = () => client.request("run_command", { sessionId, name: "undo", args: "" });
  expect(await undo()).toMatchObject({ input: "see [image #1]", pictures: [picture] });
  const { input, pictures } = await undo();
  expect({ input, pictures }).toEqual({ input: "one", pictures: undefined });
});

describe("rewind", () => {
  it("moves the leaf to the target, records the old leaf, and loses nothing", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const moved = await client.request("rewind", { sessionId, targetEventId: one });
    expect(moved).toEqual<Moved>({
      eventId: expect.any(String) as string,
      fromLeafId: two,
      leafId: one,
      text: "The conversation now ends with the reply: echo: one",
    });
    expect(session.tree.get(moved.eventId)).toMatchObject({
      type: "rewind",
      parentId: two,
      targetEventId: one,
      clientId: "tester",
    });
    expect(session.activeLeaf).toBe(one);
    expect(t.spoken()).toEqual(["one", "echo: one"]);
    const three = await t.say("three");
    expect(t.spoken()).toEqual(["one", "echo: one", "three", "echo: three"]);
    expect(session.tree.leaves().map(({ id }) => id)).toEqual([two, three]);
  });

  it("accepts the beginning of an id, and lists the matches when it is ambiguous", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    await t.say("two");
    const beginning = shortest(one, session.tree);
    expect(await client.request("rewind", { sessionId, targetEventId: beginning })).toMatchObject({ leafId: one });
    await session.append("custom", { kind: "a", data: 1 }, { id: "twin0001" });
    await session.append("custom", { kind: "b", data: 1 }, { id: "twin0002" });
    await expect(client.request("rewind", { sessionId, targetEventId: "twin" })).rejects.toMatchObject({
      code: "HISTORY_AMBIGUOUS",
      data: { matches: ["twin0001", "twin0002"] },
    });
    await expect(client.request("rewind", { sessionId, targetEventId: "none?" })).rejects.toMatchObject({
      code: "HISTORY_EVENT_UNKNOWN",
    });
    const pasted = Array.from({ length: 60 }, (_, at) => `pasted line ${at}`).join("\n");
    await expect(client.request("rewind", { sessionId, targetEventId: pasted })).rejects.toMatchObject({
      message: expect.stringMatching(/ begins with "pasted line 0 pasted line 1 [^\n]{31}…"\. /),
    });
  });

  it("goes to the start, where a new conversation begins", async () => {
    await using t = await desk();
    await t.say("one");
    const moved = await t.client.request("rewind", { sessionId: t.sessionId, targetEventId: null });
    expect(moved).toMatchObject({ leafId: null, text: "The conversation is now at its start." });
    expect(t.spoken()).toEqual([]);
    const { events } = await t.client.request("get_events", { sessionId: t.sessionId });
    expect(events.at(-1)?.display).toEqual({ display: "marker", text: "Went back to the start" });
    await t.say("two");
    expect(t.spoken()).toEqual(["two", "echo: two"]);
  });

  it("goes back before a summary, which then is not part of the conversation", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const compactedThrough = one;
    const summary = { summary: "All of it", compactedThrough, tokensBefore: 9, tokensAfter: 1 };
    const { id } = await session.append("compact", summary);
    await t.say("three");
    expect(t.spoken()).toEqual([expect.stringContaining("All of it"), "two", "echo: two", "three", "echo: three"]);
    await client.request("rewind", { sessionId, targetEventId: compactedThrough });
    expect(t.spoken()).toEqual(["one", "echo: one"]);
    await client.request("rewind", { sessionId, targetEventId: two });
    expect(t.spoken()).toEqual(["one", "echo: one", "two", "echo: two"]);
    await client.request("rewind", { sessionId, targetEventId: id });
    expect(t.spoken()).toEqual([expect.stringContaining("All of it"), "two", "echo: two"]);
  });

  it("is refused during a turn", async () => {
    await using t = await desk();
    const one = await t.say("one");
    const turn = t.session.hold();
    await expect(t.client.request("rewind", { sessionId: t.sessionId, targetEventId: one })).rejects.toMatchObject({
      code: "LOG_BUSY",
    });
    await expect(
      t.client.request("run_command", { sessionId: t.sessionId, name: "undo", args: "" }),
    ).rejects.toMatchObject({
      code: "COMMAND_BUSY",
      message:
        "A turn is running, so /undo is not possible now. Wait until the turn ends, or interrupt it (Ctrl-C in a terminal, Stop in the page).",
    });
    await turn.release();
  });

  it("lets one of two concurrent moves through, and tells the other where the conversation is", async () => {
    await using t = await desk();
    const { client, host, sessionId } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const expectedLeafId = await t.say("three");
    const other = host.connect();
    const asked = [
      client.request("rewind", { sessionId, targetEventId: one, expectedLeafId }),
      other.request("rewind", { sessionId, targetEventId: two, expectedLeafId: expectedLeafId.slice(0, 8) }),
    ];
    const [first, second] = await Promise.allSettled(asked);
    expect(first).toMatchObject({ status: "fulfilled", value: { leafId: one } });
    expect(second).toMatchObject({
      status: "rejected",
      reason: { code: "HISTORY_CONFLICT", data: { expected: expectedLeafId.slice(0, 8), actual: one } },
    });
    expect(t.session.activeLeaf).toBe(one);
  });

  it("happens once when a request is repeated, also by another process and after later messages", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    await t.say("two");
    const asked = { sessionId, targetEventId: one, messageId: "m1" };
    const [first, again] = await Promise.all([client.request("rewind", asked), client.request("rewind", asked)]);
    const three = await t.say("three");
    expect([again, await client.request("rewind", asked)]).toEqual([first, first]);
    await client.request("close_session", { sessionId });
    await using next = await testHost([echoAgent], [], [history]);
    expect(await next.client.request("rewind", asked)).toEqual(first);
    await expect(next.client.request("rewind", { ...asked, targetEventId: null })).rejects.toMatchObject({
      code: "MESSAGE_ID_REUSED",
    });
    expect((await next.client.request("get_status", { sessionId })).leafId).toBe(three);
    expect([...session.tree].filter(({ type }) => type === "rewind")).toHaveLength(1);
  });
});

describe("a rewind point", () => {
  it("is a user message, the end of a turn, or the last of a set of results; other events name the nearest point", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const user = await t.write({ role: "user", content: "Look twice." });
    const calls = await t.write({ role: "assistant", content: [call("c1"), call("c2")] });
    const first = await t.write(result("c1"));
    const last = await t.write(result("c2"));
    const end = await t.write({ role: "assistant", content: [{ type: "text", text: "Done." }] });
    const { id: beside } = await t.session.append("custom", { kind: "note", data: {} });
    const go = (targetEventId: string) => client.request("rewind", { sessionId, targetEventId });
    const refused = { code: "HISTORY_NO_POINT", data: { nearest: [user, last] } };
    await expect(go(calls)).rejects.toMatchObject(refused);
    await expect(go(first)).rejects.toMatchObject(refused);
    await expect(go(first)).rejects.toThrow(
      `The conversation cannot continue from ${first.slice(0, 8)} (Look: seen): its tool calls (Look) wait for their results. ` +
        `The nearest points are ${user.slice(0, 8)} (user: Look twice.) and ${last.slice(0, 8)} (Look: seen).`,
    );
    await expect(go(beside)).rejects.toMatchObject({ code: "HISTORY_NO_POINT", data: { nearest: [end] } });
    for (const point of [last, user, end]) expect(await go(point)).toMatchObject({ leafId: point });
  });

  it("before the first event is the start", async () => {
    await using t = await desk();
    const calls = await t.write({ role: "assistant", content: [call("c1")] });
    await expect(t.client.request("rewind", { sessionId: t.sessionId, targetEventId: calls })).rejects.toThrow(
      "The nearest points are the start.",
    );
  });
});

describe("branch", () => {
  it("moves to the leaf of another branch", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    await client.request("rewind", { sessionId, targetEventId: one });
    const three = await t.say("three");
    const moved = await client.request("branch", { sessionId, leafEventId: two, expectedLeafId: three });
    expect(moved).toMatchObject({ fromLeafId: three, leafId: two });
    expect(session.tree.get(moved.eventId)).toMatchObject({ type: "branch", parentId: three, leafEventId: two });
    expect(t.spoken()).toEqual(["one", "echo: one", "two", "echo: two"]);
    await expect(client.request("branch", { sessionId, leafEventId: one })).rejects.toMatchObject({
      code: "HISTORY_NO_LEAF",
      data: { leaves: expect.arrayContaining([two, three]) as string[] },
    });
    await expect(
      client.request("branch", { sessionId, leafEventId: three, expectedLeafId: null }),
    ).rejects.toMatchObject({
      code: "HISTORY_CONFLICT",
    });
  });
});

describe("undo", () => {
  it("goes back before the last user message and returns its text", async () => {
    await using t = await desk();
    const one = await t.say("one");
    await t.say("two");
    const asked = t.session.tree.parent(t.session.activeLeaf as string)?.id;
    const undone = await t.client.request("undo", { sessionId: t.sessionId });
    expect(undone).toMatchObject({ leafId: one, message: { eventId: asked, text: "two", content: "two" } });
    expect(t.spoken()).toEqual(["one", "echo: one"]);
  });

  it("names a line of the shell by its command", async () => {
    const shell = definePlugin({ id: "shell", name: "Shell", version: "1.0.0", events: shellEvents });
    await using t = await desk([echoAgent, shell]);
    const { client, sessionId, session } = t;
    await t.say("one");
    await session.append("shell_line", { command: "npm test\n-w", output: "ok", exitCode: 0, durationMs: 1 });
    await t.say("two");
    const { text } = await client.request("undo", { sessionId });
    const { rows } = await client.request("get_tree", { sessionId, show: "path" });
    expect({ text, row: rows.at(-1) }).toEqual({
      text: "The conversation now ends with the shell line: $ npm test -w",
      row: expect.objectContaining({ label: "shell", text: "$ npm test -w" }),
    });
  });

  it("ends a sentence with plain words for the end of a conversation", () => {
    const texts = [
      { type: "turn_failed", error: { code: "X", message: "no" } },
      { type: "compact", summary: "It was\nabout prices." },
    ].map((each) => sentenceEnd(each as never));
    expect(texts).toEqual(["a failed turn.", "a compaction: It was about prices."]);
  });

  it("and redo go step by step, to the start and back, also in another process", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    const steps = [
      (await client.request("undo", { sessionId })).leafId,
      (await client.request("undo", { sessionId })).leafId,
    ];
    await expect(client.request("undo", { sessionId })).rejects.toMatchObject({ code: "HISTORY_NO_UNDO" });
    await client.request("close_session", { sessionId });
    await using next = await testHost([echoAgent], [], [history]);
    steps.push((await next.client.request("redo", { sessionId })).leafId);
    steps.push((await next.client.request("redo", { sessionId })).leafId);
    expect(steps).toEqual([one, null, one, two]);
    await expect(next.client.request("redo", { sessionId })).rejects.toMatchObject({ code: "HISTORY_NO_REDO" });
  });

  it("cannot be redone after a new message or another move", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    await client.request("undo", { sessionId });
    await t.say("three");
    await expect(client.request("redo", { sessionId })).rejects.toMatchObject({ code: "HISTORY_NO_REDO" });
    await client.request("undo", { sessionId });
    await client.request("branch", { sessionId, leafEventId: two });
    await expect(client.request("redo", { sessionId })).rejects.toMatchObject({ code: "HISTORY_NO_REDO" });
    expect(t.session.activeLeaf).toBe(two);
    expect(one).not.toBe(two);
  });

  it("can be reversed by redo for each move to something earlier", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const one = await t.say("one");
    await t.say("two");
    const three = await t.say("three");
    await client.request("rewind", { sessionId, targetEventId: one });
    await client.request("rewind", { sessionId, targetEventId: null });
    const steps = [await client.request("redo", { sessionId }), await client.request("redo", { sessionId })];
    expect(steps.map(({ leafId }) => leafId)).toEqual([one, three]);
    await expect(client.request("redo", { sessionId })).rejects.toMatchObject({ code: "HISTORY_NO_REDO" });
  });

  it("can still be redone after a move to where the conversation is, which only restores the files", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const one = await t.say("one");
    const two = await t.say("two");
    await client.request("undo", { sessionId });
    await client.request("rewind", { sessionId, targetEventId: one });
    await client.request("undo", { sessionId });
    await client.request("rewind", { sessionId, targetEventId: null });
    const steps = [await client.request("redo", { sessionId }), await client.request("redo", { sessionId })];
    expect(steps.map(({ leafId }) => leafId)).toEqual([one, two]);
  });

  it("ignores events beside the conversation, and works in the middle of a branch", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    const two = await t.say("two");
    await t.say("three");
    await client.request("rewind", { sessionId, targetEventId: two });
    await client.request("undo", { sessionId });
    await client.request("rename_session", { sessionId, name: "Mine" });
    const back = await client.request("redo", { sessionId });
    expect(back).toMatchObject({ leafId: two });
    expect(t.session.tree.get(back.eventId)?.type).toBe("rewind");
  });

  it("happens once when a request is repeated", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    await t.say("two");
    const first = await client.request("undo", { sessionId, messageId: "u1" });
    expect(await client.request("undo", { sessionId, messageId: "u1" })).toEqual(first);
    const back = await client.request("redo", { sessionId, messageId: "r1" });
    expect(await client.request("redo", { sessionId, messageId: "r1" })).toEqual(back);
    expect(t.spoken()).toEqual(["one", "echo: one", "two", "echo: two"]);
  });
});

/** The shortest unique beginning of an id, as a person would type it. */
function shortest(id: string, tree: Iterable<{ id: string }>): string {
  const others = [...tree].map((event) => event.id).filter((other) => other !== id);
  let length = 1;
  while (others.some((other) => other.startsWith(id.slice(0, length)))) length++;
  return id.slice(0, length);
}
