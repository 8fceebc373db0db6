import { createAgent } from "@scorel/agent";
import commands from "@scorel/commands";
import compaction from "@scorel/compaction";
import host from "@scorel/host";
import type { Client, HostService } from "@scorel/host/contract";
import { createKernel, type Kernel } from "@scorel/kernel";
import { createMemoryStore } from "@scorel/kernel/store";
import logs from "@scorel/logs";
import messages from "@scorel/messages";
import model from "@scorel/model";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { testHeader } from "../../harness.ts";
import { delayUntil, gate, type ModelServer, type Script, startModelServer, status, text } from "../../model-server.ts";
import { customModel, impatient } from "../agent/setup.ts";
import { ask, testHome } from "../host/home.ts";
import { asksForSummary, playing, saidIn, words } from "./setup.ts";

interface Opened extends AsyncDisposable {
  connect: HostService["connect"];
  client: Client;
  sessionId: string;
  server: ModelServer;
}

/** Opens a session of a complete host with a model server for this script. By default, no layer runs automatically. */
async function openSession(script: Script, config: object = { layers: [] }): Promise<Opened> {
  const home = testHome();
  const server = await startModelServer(script);
  const entry = (plugin: Parameters<typeof createKernel>[0]["entries"][number]["plugin"], config?: unknown) => ({
    plugin,
    origin: "test",
    config,
  });
  const entries = [
    entry(messages),
    entry(commands),
    entry(model, { ...customModel, baseUrl: server.baseUrl }),
    entry(createAgent(impatient), { retries: 0 }),
    entry(compaction, config),
  ];
  const composition = { sessionPlugins: async () => ({ entries, problems: [] }), kernel: () => kernel };
  const kernel: Kernel = await createKernel({
    entries: [entry(logs), entry(host)],
    store: createMemoryStore(testHeader),
    services: { composition },
  });
  const { connect } = kernel.find("host") as HostService;
  const client = connect({ clientId: "tester", checkResults: true });
  const { sessionId } = await client.request("create_session", { cwd: home.cwd });
  return {
    connect,
    client,
    sessionId,
    server,
    async [Symbol.asyncDispose]() {
      await kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

const replies = ["a", "b", "c"].map((mark) => text(words(100, mark)));
async function threeTurns(summary: Parameters<typeof playing>[1] = () => text("S1"), more: typeof replies = []) {
  const t = await openSession(playing([...replies, ...more], summary));
  for (const said of ["one", "two", "three"]) await ask(t.client, t.sessionId, said);
  return t;
}

describe("manual compaction", () => {
  it("keeps the latest part of a conversation, even if all of it would fit", async () => {
    await using t = await threeTurns();
    const { client, sessionId } = t;
    const done = await client.request("compact", { sessionId });
    expect(done).toEqual({
      compacted: true,
      tokensBefore: expect.any(Number),
      tokensAfter: expect.any(Number),
      eventId: expect.any(String),
    });
    expect(done.tokensAfter).toBeLessThan(done.tokensBefore / 2);
    await ask(client, sessionId, "four");
    expect(saidIn(t.server.requests.at(-1)!).slice(1)).toEqual([
      "user: three",
      `assistant: ${words(100, "c")}`,
      "user: four",
    ]);
  });

  it("is a slash command that takes what to keep", async () => {
    await using t = await threeTurns();
    const { client, sessionId } = t;
    const { output } = await client.request("run_command", { sessionId, name: "compact", args: " the column names " });
    expect(output).toMatch(/^Compacted: about \d+ tokens by the model's count → \d+ by Scorel's estimate\.$/);
    const asked = t.server.requests.find(asksForSummary);
    expect(asked?.body.messages.at(-1).content).toMatch(
      /The user asks you to keep in particular:\n\n> the column names$/,
    );
    const { commands } = await client.request("list_commands", { sessionId });
    expect(commands.filter(({ plugin }) => plugin === "compaction")).toEqual([
      {
        name: "compact",
        usage: "/compact [keep]",
        group: "Conversation",
        plugin: "compaction",
        description: "Summarize the older part of the conversation; you may say what to keep in particular",
      },
    ]);
  });

  it("is refused as a slash command, too, if the client's scope does not include it", async () => {
    await using t = await threeTurns();
    const { sessionId } = t;
    const asked = { sessionId, name: "compact", args: "" };
    const compactBy = (...operations: string[]) =>
      t.connect({ clientId: "limited", scope: { operations } }).request("run_command", asked);
    await expect(compactBy("run_command")).rejects.toMatchObject({
      code: "HOST_FORBIDDEN",
      message: expect.stringContaining("needs a connection that may shorten the conversation"),
    });
    expect(t.server.requests.some(asksForSummary)).toBe(false);
    expect((await compactBy("run_command", "compact")).output).toMatch(/^Compacted: /);
    const { events } = await t.client.request("get_events", { sessionId });
    expect(events.filter(({ event }) => event.type === "compact").map(({ event }) => event)).toMatchObject([
      { clientId: "limited" },
    ]);
  });

  it("reports when there is nothing to compact, or when the model failed", async () => {
    await using empty = await openSession([]);
    const args = { name: "compact", args: "" };
    const nothing = await empty.client.request("run_command", { sessionId: empty.sessionId, ...args });
    expect(nothing.output).toMatch(/^There is nothing to compact\. The conversation holds about \d+ tokens\.$/);
    await using t = await threeTurns(() => status(400, { error: { message: "no credit" } }));
    const { output } = await t.client.request("run_command", { sessionId: t.sessionId, ...args });
    expect(output).toMatch(/^Compacted: about .* estimate\. The model could not summarize .*no credit$/);
  });

  it("runs once for a message id, also for concurrent requests and after reopening", async () => {
    await using t = await threeTurns();
    const { client, sessionId } = t;
    const asked = { sessionId, messageId: "m1" };
    const [first, second] = await Promise.all([client.request("compact", asked), client.request("compact", asked)]);
    expect(second).toEqual(first);
    await client.request("close_session", { sessionId });
    await client.request("load_session", { sessionId });
    expect(await client.request("compact", asked)).toEqual(first);
    expect(t.server.requests.filter(asksForSummary)).toHaveLength(1);
  });

  it("is refused during a turn", async () => {
    const answering = gate();
    await using t = await openSession(playing([[delayUntil(answering.promise), text("ok")]], () => text("S1")));
    const { client, sessionId } = t;
    const { id } = await client.request("send_message", { sessionId, content: "go" });
    await t.server.request(0);
    await expect(client.request("compact", { sessionId })).rejects.toMatchObject({ code: "COMPACTION_BUSY" });
    await expect(client.request("run_command", { sessionId, name: "compact", args: "" })).rejects.toMatchObject({
      code: "COMPACTION_BUSY",
    });
    answering.open();
    await client.request("wait_turn", { sessionId, id });
  });

  it("delays messages sent meanwhile, and ends on cancel", async () => {
    const writing = gate();
    await using t = await threeTurns((_request, count) => [
      delayUntil(count === 0 ? new Promise(() => {}) : writing.promise),
      text("S1"),
    ]);
    const { client, sessionId } = t;
    const first = client.request("compact", { sessionId });
    const failed = expect(first).rejects.toMatchObject({ code: "AGENT_CANCELLED" });
    await t.server.request(3);
    expect(await client.request("cancel", { sessionId })).toEqual({ cancelled: true });
    await failed;
    const before = await client.request("get_context", { sessionId });
    expect(before.messages).toHaveLength(6);

    const second = client.request("compact", { sessionId });
    await t.server.request(4);
    const { status, id } = await client.request("send_message", { sessionId, content: "four" });
    const { items } = await client.request("get_queue", { sessionId });
    expect([status, items.map(({ content }) => content)]).toEqual(["queued", ["four"]]);
    writing.open();
    expect(await second).toMatchObject({ compacted: true });
    expect(await client.request("wait_turn", { sessionId, id })).toMatchObject({ text: "ok" });
    expect(saidIn(t.server.requests.at(-1)!).at(-1)).toBe("user: four");
    expect(saidIn(t.server.requests.at(-1)!)[0]).toContain("<summary>\nS1\n</summary>");
  });

  it("ends when its slash command is cancelled, which leaves the conversation as it was", async () => {
    await using t = await threeTurns(() => delayUntil(new Promise(() => {})));
    const { client, sessionId } = t;
    const running = client.request("run_command", { sessionId, name: "compact", args: "" });
    const failed = expect(running).rejects.toMatchObject({ code: "COMMAND_CANCELLED" });
    const asked = await t.server.request(3);
    expect(await client.request("cancel_commands", { sessionId })).toEqual({ cancelled: ["compact"] });
    await failed;
    expect(await asked.over).toBe("gone");
    expect((await client.request("get_context", { sessionId })).messages).toHaveLength(6);
    await ask(client, sessionId, "four");
    expect(saidIn(t.server.requests.at(-1)!).at(-1)).toBe("user: four");
  });

  it("goes on when the client that ran its slash command leaves, and another client may end it as a turn", async () => {
    const writing = gate();
    await using t = await threeTurns((_request, count) => [
      delayUntil(count === 0 ? writing.promise : new Promise(() => {})),
      text("S1"),
    ]);
    const { client, connect, sessionId } = t;
    const leaveDuring = async (request: number) => {
      const guest = connect({ clientId: `guest ${request}` });
      await guest.request("load_session", { sessionId });
      const running = guest.request("run_command", { sessionId, name: "compact", args: "" });
      const failed = expect(running).rejects.toMatchObject({ code: "COMMAND_CANCELLED" });
      await t.server.request(request);
      await guest.close();
      await failed;
    };
    await leaveDuring(3);
    writing.open();
    await eventually(async () =>
      expect((await client.request("get_context", { sessionId })).messages.length).toBeLessThan(6),
    );
    await ask(client, sessionId, "four");
    expect(saidIn(t.server.requests.at(-1)!)[0]).toContain("<summary>\nS1\n</summary>");

    await leaveDuring(5);
    expect(await client.request("cancel", { sessionId })).toEqual({ cancelled: true });
    expect(await client.request("cancel", { sessionId })).toEqual({ cancelled: false });
  });

  it("reports what is wrong in an invalid request", async () => {
    await using t = await openSession([]);
    const wrong = { sessionId: t.sessionId, instructions: 7 } as never;
    await expect(t.client.request("compact", wrong)).rejects.toMatchObject({ code: "HOST_PARAMS_INVALID" });
  });
});
