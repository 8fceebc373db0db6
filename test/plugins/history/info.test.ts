import history from "@scorel/history";
import { modelPlugin } from "@scorel/model";
import { describe, expect, it } from "vitest";
import { echoAgent, testHost } from "../host/home.ts";
import { desk } from "./desk.ts";

describe("a session's settings", () => {
  it("are changed by an event, also before the first message and during a turn", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const first = await client.request("rename_session", { sessionId, name: "  Cart repair " });
    expect(first).toMatchObject({ meta: { name: "Cart repair" }, text: "Name: Cart repair" });
    const leaf = await t.say("one");
    const turn = session.hold();
    await client.request("update_info", { sessionId, changes: { thinkingLevel: "high", name: "Cart" } });
    await turn.release();
    expect(session.activeLeaf).toBe(leaf);
    const status = await client.request("get_status", { sessionId });
    expect(status.meta).toMatchObject({ name: "Cart", thinkingLevel: "high" });
    await client.request("close_session", { sessionId });
    const { sessions } = await client.request("list_sessions", {});
    expect(sessions).toMatchObject([{ sessionId, name: "Cart" }]);
  });

  it("name it without counting as use: it keeps its place among others", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    await client.request("close_session", { sessionId });
    const first = (await client.request("list_sessions", {})).sessions.map(({ updatedAt }) => updatedAt);
    await client.request("load_session", { sessionId });
    await client.request("rename_session", { sessionId, name: "Cart" });
    const listed = async () =>
      (await client.request("list_sessions", {})).sessions.map(({ updatedAt, name }) => [updatedAt, name]);
    expect(await listed()).toEqual([[first[0], "Cart"]]);
    await client.request("close_session", { sessionId });
    expect(await listed()).toEqual([[first[0], "Cart"]]);
  });

  it("archive it, until something is said in it again", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    const used = (await client.request("list_sessions", {})).sessions[0]?.updatedAt;
    const listed = async (asked: object = {}) =>
      (await client.request("list_sessions", asked)).sessions.map(({ archived, updatedAt }) => [
        archived,
        updatedAt === used,
      ]);
    expect(await client.request("archive_session", { sessionId })).toMatchObject({ text: "Archived: yes" });
    expect([await listed(), await listed({ archived: true })]).toEqual([[], [[true, true]]]);
    // Read from the file, the result is the same.
    await client.request("close_session", { sessionId });
    expect([await listed(), await listed({ archived: true })]).toEqual([[], [[true, true]]]);
    await client.request("load_session", { sessionId });
    await client.request("archive_session", { sessionId, archived: false });
    expect(await listed()).toEqual([[undefined, true]]);
    await client.request("archive_session", { sessionId });
    await t.say("two");
    expect(await listed()).toEqual([[undefined, false]]);
  });

  it("archive it alone, and not its copies", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    await client.request("archive_session", { sessionId });
    const copy = await client.request("clone_session", { sessionId });
    const { sessions } = await client.request("list_sessions", {});
    expect(sessions.map((session) => session.sessionId)).toEqual([copy.sessionId]);
  });

  it("are refused when invalid", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    const change = (changes: object) => client.request("update_info", { sessionId, changes });
    await expect(change({})).rejects.toMatchObject({ code: "HISTORY_NO_CHANGE" });
    await expect(change({ model: "a/b" })).rejects.toMatchObject({ code: "HISTORY_NO_MODEL" });
    const wrong = [{ name: " " }, { name: "two\nlines" }, { thinkingLevel: "hardest" }, { cwd: "/" }];
    for (const changes of wrong) await expect(change(changes)).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
    expect(t.session.tree.size).toBe(0);
  });

  it("are changed once when a request is repeated", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    const asked = { sessionId, name: "First", messageId: "m1" };
    const [first, again] = await Promise.all([
      client.request("rename_session", asked),
      client.request("rename_session", asked),
    ]);
    await client.request("rename_session", { sessionId, name: "Second" });
    expect(again.eventId).toBe(first.eventId);
    expect(await client.request("rename_session", asked)).toMatchObject({
      eventId: first.eventId,
      meta: { name: "Second" },
    });
    await expect(client.request("rename_session", { ...asked, name: "Third" })).rejects.toMatchObject({
      code: "MESSAGE_ID_REUSED",
    });
    expect(session.tree.size).toBe(2);
  });

  it("keep the chosen model for the next request and after reopening", async () => {
    await using t = await desk([modelPlugin([]), echoAgent]);
    const { client, sessionId } = t;
    const change = (model: string) => client.request("update_info", { sessionId, changes: { model } });
    await expect(change("nowhere/none")).rejects.toMatchObject({ code: "MODEL_UNKNOWN_PROVIDER" });
    await expect(change("openai")).rejects.toMatchObject({ code: "MODEL_NAME" });
    expect((await client.request("get_status", { sessionId })).modelError?.code).toBe("MODEL_NONE");
    const { meta } = await change("offline/demo");
    expect(meta).toMatchObject({ model: "offline/demo", chosenModel: "offline/demo" });
    expect((await client.request("get_status", { sessionId })).model).toBe("offline/demo");
    await t.say("one");
    await client.request("close_session", { sessionId });
    await using next = await testHost([modelPlugin([]), echoAgent], [], [history]);
    expect(await next.client.request("load_session", { sessionId })).toMatchObject({
      model: "offline/demo",
      notices: [],
    });
  });

  it("are changed by operations of the plugins that own them, each once for a repeated request", async () => {
    await using t = await desk([modelPlugin([]), echoAgent]);
    const { client, sessionId, session } = t;
    const model = { sessionId, model: "offline/demo", messageId: "m1" };
    const first = await client.request("set_model", model);
    expect(first).toMatchObject({ meta: { chosenModel: "offline/demo" }, text: "Model: offline/demo" });
    expect(await client.request("set_model", model)).toEqual(first);
    const thinking = await client.request("set_thinking", { sessionId, level: "high" });
    expect(thinking).toMatchObject({ meta: { thinkingLevel: "high" }, text: "Thinking: high" });
    expect(session.tree.size).toBe(2);
    const both = { name: "Cart", model: "offline/demo", thinkingLevel: "low" } as const;
    expect((await client.request("update_info", { sessionId, changes: both })).text).toBe(
      "Model: offline/demo, Thinking: low, Name: Cart",
    );
    const limited = t.host.connect({ scope: { operations: ["run_command"] } });
    const command = { sessionId, name: "model", args: "offline/demo" };
    await expect(limited.request("run_command", command)).rejects.toMatchObject({ code: "HOST_FORBIDDEN" });
  });

  it("report a chosen model that is no longer usable, and the session still opens", async () => {
    await using t = await desk();
    const { client, sessionId, session } = t;
    await t.say("one");
    await session.append("session_info", { changes: { model: "nowhere/none", chosenModel: "nowhere/none" } });
    await client.request("close_session", { sessionId });
    await using next = await testHost([modelPlugin([]), echoAgent], [], [history]);
    const { notices } = await next.client.request("load_session", { sessionId });
    expect(notices).toMatchObject([
      { origin: "the model nowhere/none, which was chosen in this session", code: "MODEL_UNKNOWN_PROVIDER" },
    ]);
  });

  it("override the options that the session was opened with", async () => {
    await using t = await desk();
    const { client, sessionId } = t;
    await t.say("one");
    await client.request("close_session", { sessionId });
    await client.request("load_session", { sessionId, thinking: "high" });
    await client.request("update_info", { sessionId, changes: { thinkingLevel: "low" } });
    expect(await client.request("load_session", { sessionId, thinking: "low" })).toMatchObject({
      meta: { thinkingLevel: "low" },
    });
  });
});
