import type { Client, Delivered, HostService, SessionChange } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import tools from "@scorel/tools";
import { expect, it } from "vitest";
import type { GatewayService } from "../../plugins/gateway/contract.ts";
import { Gateway } from "../../plugins/gateway/gateway.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, type Script, startModelServer, text, toolCall } from "../model-server.ts";
import { says, tool } from "../plugins/agent/setup.ts";
import { agentHost } from "../plugins/host/agent-host.ts";
import { testHome } from "../plugins/host/home.ts";
import { View } from "../plugins/host/view.ts";

/** The host that clients of a transport connect to. */
export interface TransportStage {
  host: HostService;
  gateway: Pick<GatewayService, "accept">;
  /** An empty folder for sockets and the like. Its path is short. */
  folder: string;
}
export interface Connections extends AsyncDisposable {
  /** Connects a client that may do everything. */
  connect(): Promise<Client>;
}
/** Serves the stage's host over a transport. */
export type TransportCase = (stage: TransportStage) => Promise<Connections>;

const all = { tail: Number.POSITIVE_INFINITY };

const asker = definePlugin({
  id: "asker",
  name: "Asker",
  version: "1.0.0",
  tools: ({ ui }) => [tool("Ask", async () => says((await ui.confirm("Go on?")) ? "yes" : "no"))],
});

async function stage(serve: TransportCase, script: Script = (_, index) => text(`reply ${index}`)) {
  const home = testHome();
  const server = await startModelServer(script);
  const t = await agentHost(server.baseUrl, { session: [tools, asker, requests] });
  const host = t.kernel.find("host") as HostService;
  const gateway = new Gateway({ host, version: "1.0.0", logger: { info: () => {}, warn: () => {} } });
  const connections = await serve({ host, gateway, folder: home.home });
  const clients: Client[] = [];
  const connect = async () => {
    const client = await connections.connect();
    clients.push(client);
    return client;
  };
  return {
    ...home,
    /** A client in the host's own process, for comparisons. */
    own: t.client,
    connect,
    create: async () => {
      const client = await connect();
      return { client, ...(await client.request("create_session", { cwd: home.cwd })) };
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(clients.map((client) => client.close()));
      await connections[Symbol.asyncDispose]();
      await gateway.dismiss("the test ends", false);
      await t.kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

async function ask(client: Client, sessionId: string, content: string): Promise<string> {
  const { id } = await client.request("send_message", { sessionId, content });
  return (await client.request("wait_turn", { sessionId, id })).text;
}

/** Collects what a client receives of a session. */
async function listen(client: Client, sessionId: string, options: Parameters<Client["subscribe"]>[2] = all) {
  const heard: Delivered["event"][] = [];
  const view = new View();
  const hear = (delivered: Delivered) => {
    view.hear(delivered);
    heard.push(delivered.event);
  };
  const resumed = (mode: Parameters<View["begin"]>[0]) => view.begin(mode);
  const subscription = await client.subscribe(sessionId, hear, { resumed, ...options });
  return { heard, view, subscription, types: () => heard.map(({ type }) => type) };
}

const stored = (events: readonly unknown[]) => (events as Delivered["event"][]).filter((event) => "id" in event);

/** The test cases that clients of every transport must pass. */
export function transportContract(serve: TransportCase): void {
  it("answers a request as the host's own client is answered", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    expect(await ask(client, sessionId, "hello grüße 👋 \u2028")).toBe("reply 0");
    const [own, far] = await Promise.all([t.own, client].map((each) => each.request("get_events", { sessionId })));
    expect(far).toEqual(own);
  });

  it("rejects with the host's coded error, its message and its data", async () => {
    await using t = await stage(serve);
    const client = await t.connect();
    const of = (each: Client, operation: string, params: object) =>
      each.request(operation as never, params as never).then(
        () => "no error",
        ({ code, message, data }) => ({ code, message, data }),
      );
    for (const [operation, params] of [
      ["get_events", { sessionId: "nothing" }],
      ["get_events", { sessionId: 5, unknown: true }],
      ["no_such_operation", {}],
    ] as const)
      expect(await of(client, operation, params)).toEqual(await of(t.own, operation, params));
  });

  it("refuses a subscription to a session that is unknown", async () => {
    await using t = await stage(serve);
    const client = await t.connect();
    const subscribing = client.subscribe("nothing", () => {});
    await expect(subscribing).rejects.toMatchObject({ code: "SESSION_UNKNOWN", data: { sessionId: "nothing" } });
    expect(await client.request("ping", {})).toEqual({ pong: true });
  });

  it("delivers events in order and each once, to the end of the turn", async () => {
    await using t = await stage(serve, (_, index) => text(`reply ${index} with some words`, 3));
    const { client, sessionId } = await t.create();
    const { heard, types } = await listen(client, sessionId);
    for (let n = 0; n < 3; n++) await ask(client, sessionId, `message ${n}`);
    await client.drained(sessionId);
    const { events } = await t.own.request("get_events", { sessionId });
    expect(stored(heard)).toEqual(events.map(({ event }) => event));
    const seqs = heard.map((event) => (event as { seq: number }).seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(types()).toContain("text_delta");
  });

  it("begins with the last stored events, and says whether there are more", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    for (let n = 0; n < 3; n++) await ask(client, sessionId, `message ${n}`);
    const other = await t.connect();
    const { heard, subscription } = await listen(other, sessionId, { tail: 2 });
    await other.drained(sessionId);
    const { events } = await t.own.request("get_events", { sessionId });
    expect(stored(heard)).toEqual(events.slice(-2).map(({ event }) => event));
    expect([subscription.mode, subscription.more]).toEqual(["full_reload", true]);
    const { status } = subscription;
    expect([status.sessionId, status.running]).toEqual([sessionId, false]);
  });

  it("goes on from an anchor, and starts over from one of another log", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    const first = await listen(client, sessionId);
    await ask(client, sessionId, "one");
    await client.drained(sessionId);
    const { anchor } = first.subscription;
    await first.subscription();
    await ask(client, sessionId, "two");
    const second = await listen(client, sessionId, { anchor, ...all });
    await client.drained(sessionId);
    const { events } = await t.own.request("get_events", { sessionId });
    expect(second.subscription.mode).toBe("stream_resume");
    expect([...stored(first.heard), ...stored(second.heard)]).toEqual(events.map(({ event }) => event));
    const third = await listen(client, sessionId, { anchor: { ...anchor, activation: "another" }, ...all });
    const fourth = await listen(client, sessionId, { anchor: { ...anchor, epoch: "another" }, ...all });
    await client.drained(sessionId);
    expect([third.subscription.mode, fourth.subscription.mode]).toEqual(["persistent_fallback", "full_reload"]);
    expect(stored(third.heard)).toEqual(stored(second.heard));
    expect(stored(fourth.heard)).toEqual(events.map(({ event }) => event));
  });

  it("gives a client that joins in the middle of a message its text so far", async () => {
    const rest = gate();
    await using t = await stage(serve, () => [
      text("first half", 2),
      delayUntil(rest.promise),
      text(" second half", 3),
    ]);
    const { client, sessionId } = await t.create();
    const early = await listen(client, sessionId);
    const { id } = await client.request("send_message", { sessionId, content: "go" });
    await eventually(() => expect(early.view.shown).toContain("first half"));
    const other = await t.connect();
    const late = await listen(other, sessionId);
    await other.drained(sessionId);
    await client.drained(sessionId);
    expect(late.view.shown).toBe(early.view.shown);
    rest.open();
    expect((await other.request("wait_turn", { sessionId, id })).text).toBe("first half second half");
    await Promise.all([client, other].map((each) => each.drained(sessionId)));
    expect(late.view.shown).toBe(early.view.shown);
    expect(stored(late.heard)).toEqual(stored(early.heard));
  });

  it("merges deltas for a client that wants them joined, without losing text", async () => {
    const words = "many small words ".repeat(50).trim();
    await using t = await stage(serve, () => text(words, 1));
    const { client, sessionId } = await t.create();
    const { heard } = await listen(client, sessionId, { joined: true });
    await ask(client, sessionId, "go");
    await client.drained(sessionId);
    const deltas = heard.filter(({ type }) => type === "text_delta") as unknown as { delta: string }[];
    expect(deltas.map(({ delta }) => delta).join("")).toBe(words);
  });

  it("waits for a slow listener, and resolves `drained` after its last call", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    const done: unknown[] = [];
    let running = 0;
    await client.subscribe(
      sessionId,
      async ({ event }) => {
        expect(++running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        if ("id" in event) done.push(event);
      },
      all,
    );
    await ask(client, sessionId, "one");
    await client.drained(sessionId);
    const { events } = await t.own.request("get_events", { sessionId });
    expect(done).toEqual(events.map(({ event }) => event));
  });

  it("delivers nothing after a subscription was ended", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    const { heard, subscription } = await listen(client, sessionId);
    await ask(client, sessionId, "one");
    await client.drained(sessionId);
    await subscription();
    const { length } = heard;
    await ask(client, sessionId, "two");
    await client.drained(sessionId);
    expect(heard.length).toBe(length);
    await subscription();
  });

  it("announces sessions that are created, run and closed, one change after the other, until watching ends", async () => {
    await using t = await stage(serve);
    const watcher = await t.connect();
    const changes: SessionChange[] = [];
    let running = 0;
    const unwatch = await watcher.watchSessions(async (change) => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      changes.push(change);
    });
    const { client, sessionId } = await t.create();
    await ask(client, sessionId, "one");
    await client.request("close_session", { sessionId });
    await eventually(() => expect(changes.at(-1)?.change).toBe("closed"));
    expect(changes.map(({ change }) => change)).toEqual(["created", "running", "idle", "closed"]);
    await unwatch();
    await t.create();
    await watcher.request("list_sessions", {});
    expect(changes.length).toBe(4);
  });

  it("lets any client answer a question, once, and shows the others that it is answered", async () => {
    await using t = await stage(serve, (_, index) => (index === 0 ? toolCall("Ask", {}) : text("done")));
    const { client, sessionId } = await t.create();
    const other = await t.connect();
    const [near, far] = [await listen(client, sessionId), await listen(other, sessionId)];
    for (const each of [client, other]) await each.request("attend_requests", { sessionId });
    const { id } = await client.request("send_message", { sessionId, content: "go" });
    const asked = (heard: readonly unknown[]) =>
      (heard as { type: string; requestId: string }[]).find(({ type }) => type === "approval_request");
    await eventually(() => expect([asked(near.heard), asked(far.heard)]).not.toContain(undefined));
    const requestId = asked(near.heard)?.requestId as string;
    const late = await t.connect();
    const joined = await listen(late, sessionId, {});
    await late.drained(sessionId);
    expect(asked(joined.heard)?.requestId).toBe(requestId);
    const answers = await Promise.allSettled(
      [client, other, late].map((each) => each.request("answer_request", { sessionId, requestId, answer: "y" })),
    );
    expect(answers.filter(({ status }) => status === "fulfilled").length).toBe(1);
    expect((await client.request("wait_turn", { sessionId, id })).text).toBe("done");
    await Promise.all([client, other, late].map((each) => each.drained(sessionId)));
    for (const { types } of [near, far, joined])
      expect(types().filter((type) => type === "approval_answer")).toEqual(["approval_answer"]);
  });

  it("sends a message once, however often the request comes, and refuses a messageId with another body", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    const message = { sessionId, content: "once", messageId: "a-message-0001" };
    const [first, second] = await Promise.all([1, 2].map(() => client.request("send_message", message)));
    const third = await client
      .request("send_message", { ...message, content: "something else" })
      .catch(({ code }) => code);
    expect(second?.id).toBe(first?.id);
    await client.request("wait_turn", { sessionId, id: first?.id as string });
    const { events } = await t.own.request("get_events", { sessionId });
    const said = events.flatMap(({ event }) =>
      (event as any).message?.role === "user" ? [(event as any).message.content] : [],
    );
    expect([said, third]).toEqual([["once"], "MESSAGE_ID_REUSED"]);
  });

  it("refuses everything after it was closed", async () => {
    await using t = await stage(serve);
    const { client, sessionId } = await t.create();
    const { heard } = await listen(client, sessionId);
    await client.drained(sessionId);
    await client.close();
    const { length } = heard;
    const refused = await Promise.allSettled([
      client.request("list_sessions", {}),
      client.subscribe(sessionId, () => {}),
      client.watchSessions(() => {}),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(heard.length).toBe(length);
    await client.close();
  });
}
