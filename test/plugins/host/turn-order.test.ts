import type { Client, Delivered, HostService, SessionChange } from "@scorel/host/contract";
import { definePlugin } from "@scorel/kernel";
import requests from "@scorel/requests";
import { expect, it } from "vitest";
import { Keeper } from "../../../plugins/daemon/keeper.ts";
import { eventually } from "../../eventually.ts";
import { delayUntil, gate, type RecordedRequest, startModelServer, text } from "../../model-server.ts";
import { agentHost } from "./agent-host.ts";
import { testHome } from "./home.ts";

const lastUser = ({ body }: RecordedRequest) => body.messages.findLast((said: any) => said.role === "user").content;

/** Asks a person when a turn begins with a certain message. */
const asking = definePlugin({
  id: "asking",
  name: "Asking",
  version: "1.0.0",
  needs: ["requests"],
  activate(ctx) {
    return {
      hooks: {
        beforeContext: async () => {
          const last = ctx.session.buildContext().at(-1) as { content?: unknown } | undefined;
          if (JSON.stringify(last).includes("ask me")) await ctx.requests.ask({ kind: "confirm", title: "Go on?" });
        },
      },
    };
  },
});

/**
 * A host that runs one turn at a time by default. The reply to a message waits until `open` is called with the message.
 */
async function one(concurrentTurns = 1) {
  const home = testHome();
  const gates = new Map<string, ReturnType<typeof gate>>();
  const gateOf = (message: string) => {
    const known = gates.get(message) ?? gate();
    gates.set(message, known);
    return known;
  };
  const asked: string[] = [];
  const server = await startModelServer((request) => {
    const message = String(lastUser(request));
    asked.push(message);
    return [delayUntil(gateOf(message).promise), text(`re: ${message}`)];
  });
  const host = await agentHost(server.baseUrl, { config: { concurrentTurns }, session: [requests, asking] });
  const { client } = host;
  const changes: SessionChange[] = [];
  await client.watchSessions((change) => void changes.push(change));
  return {
    client,
    host: host.kernel.find("host") as HostService,
    asked,
    changes,
    create: async (more: object = {}) => (await client.request("create_session", { cwd: home.cwd, ...more })).sessionId,
    send: async (sessionId: string, content: string) =>
      (await client.request("send_message", { sessionId, content })).id,
    open: (message: string) => gateOf(message).open(),
    async [Symbol.asyncDispose]() {
      for (const { open } of gates.values()) open();
      await host.kernel.stop();
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

const end = (client: Client, sessionId: string, id: string) => client.request("wait_turn", { sessionId, id });
const turnOf = async (client: Client, sessionId: string) => (await client.request("get_status", { sessionId })).turn;

it("turns beyond the limit wait in their order of arrival, which lists and listeners show", async () => {
  await using t = await one();
  const { client } = t;
  const [a, b, c] = [await t.create(), await t.create(), await t.create()];
  const heard: Delivered[] = [];
  await client.subscribe(c, (delivered) => void heard.push(delivered));
  const first = await t.send(a, "a1");
  await eventually(() => expect(t.asked).toEqual(["a1"]));
  const turns = [await t.send(b, "b1"), await t.send(c, "c1")];
  await eventually(async () => expect(await turnOf(client, c)).toBe("waiting"));
  expect([await turnOf(client, a), await turnOf(client, b)]).toEqual([undefined, "waiting"]);
  const { sessions } = await client.request("list_sessions", {});
  const rows = sessions.map(({ sessionId, running, turn }) => ({ sessionId, running, turn }));
  expect(rows).toEqual(
    expect.arrayContaining([
      { sessionId: a, running: true, turn: undefined },
      { sessionId: b, running: true, turn: "waiting" },
    ]),
  );
  // A second message belongs to the running turn of its session; that session's next turn comes last.
  t.open("a1");
  await end(client, a, first);
  const again = await t.send(a, "a2");
  await eventually(() => expect(t.asked).toEqual(["a1", "b1"]));
  for (const message of ["b1", "c1", "a2"]) t.open(message);
  await Promise.all([end(client, b, turns[0] as string), end(client, c, turns[1] as string), end(client, a, again)]);
  expect(t.asked).toEqual(["a1", "b1", "c1", "a2"]);
  await client.drained(c);
  expect(
    heard.filter(({ event }) => event.type.startsWith("turn_wait")).map(({ event, display }) => [event, display]),
  ).toMatchObject([
    [{ type: "turn_wait_start", ahead: 1, clientId: "tester" }, { display: "notice" }],
    [{ type: "turn_wait_end", cancelled: false }, { display: "hidden" }],
  ]);
  const ofC = t.changes.flatMap((each) =>
    each.change !== "missed" && each.session.sessionId === c ? each.change : [],
  );
  expect(ofC).toEqual(["created", "running", "waiting", "running", "idle"]);
});

it("a turn that waits can be cancelled, and those behind it move up", async () => {
  await using t = await one();
  const { client } = t;
  const [a, b, c] = [await t.create(), await t.create(), await t.create()];
  const first = await t.send(a, "a1");
  const second = await t.send(b, "b1");
  const third = await t.send(c, "c1");
  await eventually(async () => expect(await turnOf(client, c)).toBe("waiting"));
  expect(await client.request("cancel", { sessionId: b })).toEqual({ cancelled: true });
  expect(await end(client, b, second)).toMatchObject({ reason: "cancelled" });
  t.open("a1");
  t.open("c1");
  await Promise.all([end(client, a, first), end(client, c, third)]);
  expect(t.asked).toEqual(["a1", "c1"]);
});

it("a turn that waits for a person makes room for another one", async () => {
  await using t = await one();
  const { client } = t;
  const [a, b] = [await t.create({ attending: true }), await t.create()];
  await client.request("attend_requests", { sessionId: a });
  t.open("b1");
  t.open("ask me");
  const first = await t.send(a, "ask me");
  const second = await t.send(b, "b1");
  expect(await end(client, b, second)).toMatchObject({ reason: "completed" });
  const { requests } = await client.request("list_requests", { sessionId: a });
  await client.request("answer_request", { sessionId: a, requestId: requests[0]?.requestId as string, answer: "y" });
  expect(await end(client, a, first)).toMatchObject({ reason: "completed" });
});

it("a child session works in its parent's turn", async () => {
  await using t = await one();
  const { client } = t;
  const a = await t.create();
  const first = await t.send(a, "a1");
  await eventually(() => expect(t.asked).toEqual(["a1"]));
  const child = await t.create({ parent: { sessionId: a } });
  t.open("child");
  const childTurn = await t.send(child, "child");
  expect(await end(client, child, childTurn)).toMatchObject({ reason: "completed" });
  t.open("a1");
  await end(client, a, first);
});

it("0 means no limit", async () => {
  await using t = await one(0);
  const sessions = [await t.create(), await t.create(), await t.create()];
  await Promise.all(sessions.map((sessionId, index) => t.send(sessionId, `m${index}`)));
  await eventually(() => expect(t.asked.sort()).toEqual(["m0", "m1", "m2"]));
});

it("no turn begins once the host is about to stop", async () => {
  await using t = await one();
  const keeper = new Keeper(t.host, { idleMs: 0, logger: console });
  await keeper.start();
  const [first, second, third] = [await t.create(), await t.create(), await t.create()];
  await t.send(first, "first");
  await eventually(() => expect(t.asked).toEqual(["first"]));
  const waiting = [await t.send(second, "second"), await t.send(third, "third")];
  await eventually(() => expect(keeper.counts).toEqual({ open: 3, running: 3, waiting: 2 }));
  const quiet = keeper.quiet(10_000);
  await eventually(() => expect(keeper.counts).toMatchObject({ running: 1, waiting: 0 }));
  t.open("first");
  await quiet;
  expect(t.asked).toEqual(["first"]);
  const outcome = await t.client.request("wait_turn", { sessionId: second, id: waiting[0] as string });
  expect(outcome.reason).toBe("cancelled");
  await keeper.end();
});
