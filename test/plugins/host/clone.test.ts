import { definePlugin } from "@scorel/kernel";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ask, echoAgent, testHome, testHost } from "./home.ts";

/** Commands that move the active leaf and append side events. */
const mover = definePlugin({
  id: "mover",
  name: "Mover",
  version: "1.0.0",
  commands: (ctx) => ({
    back: { run: async (targetEventId) => void (await ctx.session.append("rewind", { targetEventId })) },
    label: { run: async (name) => void (await ctx.session.append("session_info", { changes: { name } })) },
  }),
});
const host = () => testHost([echoAgent, mover]);
const spoken = (messages: readonly unknown[]) =>
  (messages as { content: string | { text: string }[] }[]).map(({ content }) =>
    typeof content === "string" ? content : content[0]?.text,
  );

describe("a copy of a session", () => {
  it("contains the current conversation and notes along it, but nothing that was rewound", async () => {
    using home = testHome();
    await using t = await host();
    const { client } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "one");
    await client.request("run_command", { sessionId, name: "label", args: "mine" });
    const { leafId } = await client.request("get_status", { sessionId });
    await ask(client, sessionId, "a mistake");
    await client.request("run_command", { sessionId, name: "back", args: leafId ?? "" });
    await ask(client, sessionId, "two");
    const { messages } = await client.request("get_context", { sessionId });
    const copy = await client.request("clone_session", { sessionId });
    const copied = await client.request("get_events", { sessionId: copy.sessionId });
    const context = await client.request("get_context", { sessionId: copy.sessionId });
    expect(copy.meta).toMatchObject({ cwd: home.cwd, name: "mine" });
    expect(context.messages).toEqual(messages);
    expect(spoken(context.messages)).toEqual(["one", "echo: one", "two", "echo: two"]);
    expect(copied.header.clonedFrom).toMatchObject({ sessionId });
    expect(JSON.stringify(copied.events)).not.toContain("a mistake");
  });

  it("has the side events of extensions that declare so", async () => {
    const schema = z.object({ n: z.number() });
    const leaf = (_event: unknown, current: string | null) => current;
    const event = (copied?: "beside" | "all" | "latest") => ({ schema, leaf, ...(copied && { copied }) });
    const marks = definePlugin({
      ...{ id: "marks", name: "Marks", version: "1.0.0" },
      events: { m_beside: event("beside"), m_all: event("all"), m_latest: event("latest"), m_none: event() } as never,
      commands: (ctx) => ({
        mark: {
          run: async (n: string) => {
            for (const type of ["m_beside", "m_all", "m_latest", "m_none"])
              await ctx.session.append(type as never, { n: Number(n) } as never);
          },
        },
      }),
    });
    using home = testHome();
    await using t = await testHost([echoAgent, mover, marks]);
    const { client } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    const run = (name: string, args: string) => client.request("run_command", { sessionId, name, args });
    await ask(client, sessionId, "one");
    const { leafId } = await client.request("get_status", { sessionId });
    await run("mark", "1");
    await ask(client, sessionId, "a mistake");
    await run("mark", "2");
    await run("back", leafId ?? "");
    await run("mark", "3");
    const copy = await client.request("clone_session", { sessionId });
    const { events } = await client.request("get_events", { sessionId: copy.sessionId });
    const copied = events.flatMap(({ event }: any) =>
      event.type.startsWith("m_") ? [`${event.type} ${event.n}`] : [],
    );
    expect(copied).toEqual(["m_beside 1", "m_all 1", "m_all 2", "m_beside 3", "m_all 3", "m_latest 3"]);
  });

  it("is marked in lists, where it has the title and the time of the original", async () => {
    using home = testHome();
    await using t = await host();
    const { client } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "one");
    const copy = await client.request("clone_session", { sessionId, atOnce: true });
    const listed = async () =>
      (await client.request("list_sessions", {})).sessions.map(({ sessionId, title, copied }) => [
        sessionId,
        title,
        copied,
      ]);
    const both = [
      [sessionId, "one", undefined],
      [copy.sessionId, "one", "clone"],
    ];
    expect(await listed()).toEqual(expect.arrayContaining(both));
    // Closed sessions are listed from what is stored about them.
    for (const [id] of both) await client.request("close_session", { sessionId: id as string });
    expect(await listed()).toEqual(expect.arrayContaining(both));
  });

  it("is independent of the original", async () => {
    using home = testHome();
    await using t = await host();
    const { client } = t;
    const { sessionId } = await client.request("create_session", { cwd: home.cwd });
    await ask(client, sessionId, "one");
    const copy = await client.request("clone_session", { sessionId });
    expect(home.files().filter((name) => name.endsWith(".jsonl"))).toEqual([`${sessionId}.jsonl`]);
    await ask(client, copy.sessionId, "here");
    await ask(client, sessionId, "there");
    const contexts = [sessionId, copy.sessionId].map((id) => client.request("get_context", { sessionId: id }));
    expect((await Promise.all(contexts)).map(({ messages }) => spoken(messages)[2])).toEqual(["there", "here"]);
  });

  it("requires a conversation to copy", async () => {
    using home = testHome();
    await using t = await host();
    const { sessionId } = await t.client.request("create_session", { cwd: home.cwd });
    await t.client.request("run_command", { sessionId, name: "label", args: "mine" });
    await expect(t.client.request("clone_session", { sessionId })).rejects.toMatchObject({ code: "HOST_CLONE_EMPTY" });
  });
});

it("an unsaved session keeps its conversation while it is open, and leaves no file", async () => {
  using home = testHome();
  await using t = await host();
  const { sessionId } = await t.client.request("create_session", { cwd: home.cwd, unsaved: true });
  await ask(t.client, sessionId, "one");
  const { messages } = await t.client.request("get_context", { sessionId });
  expect(spoken(messages)).toEqual(["one", "echo: one"]);
  await t.client.request("close_session", { sessionId });
  expect(home.files()).toEqual([]);
  await expect(t.client.request("load_session", { sessionId })).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
});
