import { connectHost, type HostMessage } from "@scorel/host/client";
import type { Delivered } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { ask } from "../host/home.ts";
import { dial, testGateway } from "./home.ts";
import { wire } from "./wires.ts";

type Events = Extract<HostMessage, { type: "events" }>;

/** A session with 600 stored events. */
async function stage() {
  const t = await testGateway();
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  for (let n = 0; n < 300; n++) await ask(t.client, sessionId, `message ${n}`);
  return { ...t, sessionId };
}

it("missed events arrive in marked batches of up to 256, and live events after them without a mark", async () => {
  await using t = await stage();
  const channel = await dial(t.path);
  const got: HostMessage[] = [];
  channel.open({ message: (text) => void got.push(JSON.parse(text)), closed: () => {} });
  channel.send(JSON.stringify({ type: "hello", protocol: 1, version: "1.0.0" }));
  const subscribe = { type: "subscribe", requestId: 1, subscription: 1, sessionId: t.sessionId };
  channel.send(JSON.stringify({ ...subscribe, options: { tail: "all" } }));
  const events = () => got.filter((message): message is Events => message.type === "events");
  const count = () => events().reduce((sum, message) => sum + message.events.length, 0);
  await eventually(() => expect(count()).toBe(600));
  const replayed = events();
  expect(replayed.map(({ replay }) => replay)).toEqual(replayed.map(() => true));
  // The number of events in one message depends on the load of the machine.
  expect(Math.max(...replayed.map((message) => message.events.length))).toBeLessThanOrEqual(256);
  expect(replayed.length).toBeLessThan(60);
  await ask(t.client, t.sessionId, "now");
  await eventually(() => expect(count()).toBe(602));
  const live = events().slice(replayed.length);
  expect(live.map((message) => "replay" in message)).toEqual(live.map(() => false));
  channel.close();
});

it("a listener can recognize events from before it subscribed, in this and another process, also after the connection was lost", async () => {
  await using t = await stage();
  const far = await t.connect();
  const heard: boolean[][] = [];
  let resumptions = 0;
  const resumed = () => void resumptions++;
  for (const client of [t.client, far]) {
    const marks: boolean[] = [];
    heard.push(marks);
    const subscription = await client.subscribe(t.sessionId, () => void marks.push(subscription.isReplay), {
      tail: 3,
      resumed,
    });
    await client.drained(t.sessionId);
    await ask(t.client, t.sessionId, "now");
    await client.drained(t.sessionId);
    expect(marks).toEqual([true, true, true, false, false]);
  }
  await t.restart(async () => {});
  await eventually(() => expect(resumptions).toBe(1));
  await ask(far, t.sessionId, "again");
  await far.drained(t.sessionId);
  expect(heard[1]?.slice(-2)).toEqual([false, false]);
});

it("a listener may return any value, in this and another process", async () => {
  const failed: unknown[] = [];
  await using t = await testGateway();
  const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
  for (const client of [t.client, await t.connect({ listenerFailed: (thrown) => void failed.push(thrown) })]) {
    const heard: string[] = [];
    const push = ({ event }: Delivered) => heard.push(event.type);
    await client.subscribe(sessionId, push as unknown as (delivered: Delivered) => void);
    await ask(t.client, sessionId, "hello");
    await client.drained(sessionId);
    expect(heard.filter((type) => type === "message")).toHaveLength(2);
  }
  expect(failed).toEqual([]);
});

it("a replay after live events ends the connection", async () => {
  const anchor = { epoch: "e", persistentSeq: 0, persistentId: null, activation: "a", streamSeq: -1 };
  const status = { sessionId: "s", running: false, leafId: null, meta: {}, anchor, problems: [], notices: [] };
  const batch = { type: "events", subscription: 1, events: [], anchor };
  const { near, far } = wire();
  far.open({
    message: (text) => {
      const { type, requestId } = JSON.parse(text);
      const send = (...messages: unknown[]) => {
        for (const each of messages) far.send(JSON.stringify(each));
      };
      const names = { version: "9", instance: "i", clientId: "c", secret: "s" };
      if (type === "hello") send({ type: "welcome", protocol: 1, resumed: false, ...names });
      else if (type === "subscribe")
        send(
          { type: "response", requestId, result: { mode: "full_reload", more: false, anchor, status } },
          { ...batch, replay: true },
          batch,
          { ...batch, replay: true },
        );
    },
    closed: () => {},
  });
  const client = await connectHost({ dial: () => near, version: "1.0.0", reconnect: false });
  await client.subscribe("s", () => {}).catch(() => {});
  await eventually(() => expect(client.state).toMatchObject({ state: "closed", error: { code: "LINK_PROTOCOL" } }));
});
