import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connectHost, type RemoteClient } from "@scorel/host/client";
import type { Delivered, ResumeMode } from "@scorel/host/contract";
import { isEvent } from "@scorel/kernel";
import { expect, it } from "vitest";
import { dialSocket } from "../../plugins/socket/socket.ts";
import { type Running, type Scratch, scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { delayUntil, gate, startModelServer, text } from "../model-server.ts";

/** `RUNS=50` repeats kills and races more often. */
const kills = Number(process.env.RUNS ?? 10);
const races = Number(process.env.RUNS ?? 10);
const LIMIT = 300_000 + (kills + races) * 10_000;
const serving = ["host", "serve", "--foreground"];

async function serve(s: Scratch): Promise<Running> {
  const running = s.start(serving);
  await running.line((line) => line.startsWith("socket: "));
  return running;
}

/** Connects to the socket of the running host, as a client does. */
function dial(s: Scratch) {
  const { addresses } = JSON.parse(readFileSync(join(s.home, ".scorel/run/host.json"), "utf8"));
  return dialSocket(addresses[0].address);
}

const connect = (s: Scratch) =>
  connectHost({ dial: async () => dial(s), version: "1.0.0", times: { firstRetry: 20, lastRetry: 100 } });

/** Collects the stored events of a session, like a client that never loads them a second time. */
async function follow(client: RemoteClient, sessionId: string) {
  const kept: Delivered["event"][] = [];
  let said = "";
  const forget = (mode: ResumeMode) => {
    if (mode === "full_reload") kept.length = 0;
  };
  await client.subscribe(
    sessionId,
    ({ event }) => {
      if ("id" in event) kept.push(event);
      if (isEvent(event, "text_delta")) said += event.delta;
    },
    { tail: Number.POSITIVE_INFINITY, resumed: forget },
  );
  return { kept, said: () => said };
}

const message = (event: any) => event.message ?? {};

it(
  `gives three clients the same stored events after it was killed in the middle of a turn, ${kills} times`,
  async () => {
    using s = scratch();
    await using server = await startModelServer(() => [
      text("partial words of a reply", 3),
      delayUntil(new Promise(() => {})),
    ]);
    s.useModel(server.baseUrl);
    let host = await serve(s);
    const clients = await Promise.all([1, 2, 3].map(() => connect(s)));
    for (let round = 0; round < kills; round++) {
      const [first, second, third] = clients as [RemoteClient, RemoteClient, RemoteClient];
      const { sessionId } = await first.request("create_session", { cwd: s.project });
      const followers = await Promise.all(clients.map((client) => follow(client, sessionId)));
      const { id } = await first.request("send_message", { sessionId, content: `round ${round}` });
      for (const { said } of followers) await eventually(() => expect(said()).toContain("partial words"));
      const queued = await Promise.all(
        [second, third].map((client, n) => client.request("send_message", { sessionId, content: `later ${n}` })),
      );
      host.child.kill("SIGKILL");
      await host.finished;
      host = await serve(s);
      await eventually(() => expect(clients.map(({ state }) => state.state)).toEqual(["live", "live", "live"]));
      await Promise.all(clients.map((client) => client.drained(sessionId)));
      const { events } = await first.request("get_events", { sessionId });
      const bytes = JSON.stringify(events.map(({ event }) => event));
      expect(followers.map(({ kept }) => JSON.stringify(kept))).toEqual([bytes, bytes, bytes]);
      const ids = events.map(({ event }) => (event as { id: string }).id);
      expect(ids).toContain(id);
      const replies = events.filter(({ event }) => message(event).role === "assistant");
      expect(replies.map(({ event }) => message(event).content[0].text)).toEqual([
        expect.stringContaining("partial words"),
      ]);
      const { items } = await second.request("get_queue", { sessionId });
      expect(items.map((item) => item.id).sort()).toEqual(queued.map((each) => each.id).sort());
      await Promise.all(clients.map((client) => client.request("close_session", { sessionId })));
    }
    await Promise.all(clients.map((client) => client.close()));
    host.child.kill("SIGTERM");
    expect((await host.finished).code).toBe(143);
  },
  LIMIT,
);

it(
  `runs once for a home, when two hosts begin at the same time, ${races} times`,
  async () => {
    using s = scratch();
    for (let round = 0; round < races; round++) {
      const racers = [s.start(serving), s.start(serving)];
      const { loser, code, stderr } = await Promise.race(
        racers.map(async (racer) => ({ loser: racer, ...(await racer.finished) })),
      );
      const [winner] = racers.filter((racer) => racer !== loser);
      expect([code, stderr]).toEqual([1, expect.stringContaining("A host is already running")]);
      await winner?.line((line) => line.startsWith("socket: "));
      const client = await connect(s);
      await client.request("list_sessions", {});
      await client.close();
      winner?.child.kill("SIGTERM");
      await winner?.finished;
    }
  },
  LIMIT,
);

it(
  "keeps its home and its clients while it is suspended",
  async () => {
    using s = scratch();
    const host = await serve(s);
    const client = await connect(s);
    host.child.kill("SIGSTOP");
    const asked = client.request("list_sessions", {});
    expect(await s.run(serving)).toMatchObject({ code: 1, stderr: expect.stringContaining(String(host.pid)) });
    host.child.kill("SIGCONT");
    expect(await asked).toMatchObject({ sessions: [] });
    await client.close();
    host.child.kill("SIGTERM");
    await host.finished;
  },
  LIMIT,
);

it(
  "tells its clients when it is asked to stop, lets a running turn end, and they continue with the next host",
  async () => {
    using s = scratch();
    const rest = gate();
    await using server = await startModelServer([[text("first half"), delayUntil(rest.promise), text(" second half")]]);
    s.useModel(server.baseUrl);
    const host = await serve(s);
    const client = await connect(s);
    const reasons: string[] = [];
    client.onState((state) => void (state.state === "waiting" && reasons.push(state.reason)));
    const { sessionId } = await client.request("create_session", { cwd: s.project });
    const { kept, said } = await follow(client, sessionId);
    await client.request("send_message", { sessionId, content: "go" });
    await eventually(() => expect(said()).toBe("first half"));
    host.child.kill("SIGTERM");
    await eventually(() => expect(reasons[0]).toContain("the host stops"));
    rest.open();
    expect((await host.finished).code).toBe(143);
    const next = await serve(s);
    await eventually(() => expect(client.state.state).toBe("live"));
    await client.drained(sessionId);
    const reply = kept.map((event) => message(event)).find(({ role }) => role === "assistant");
    expect(reply.content[0].text).toBe("first half second half");
    const { events } = await client.request("get_events", { sessionId });
    expect(kept).toEqual(events.map(({ event }) => event));
    await client.close();
    next.child.kill("SIGTERM");
    await next.finished;
  },
  LIMIT,
);

it(
  "cancels a turn that does not end within 10 s of being asked to stop; what has arrived and what waits stay",
  async () => {
    using s = scratch();
    const never = gate();
    await using server = await startModelServer([[text("first half"), delayUntil(never.promise)]]);
    s.useModel(server.baseUrl);
    const host = await serve(s);
    const client = await connect(s);
    const { sessionId } = await client.request("create_session", { cwd: s.project });
    const { said } = await follow(client, sessionId);
    await client.request("send_message", { sessionId, content: "go" });
    await eventually(() => expect(said()).toBe("first half"));
    await client.request("send_message", { sessionId, content: "and later this" });
    const asked = performance.now();
    host.child.kill("SIGTERM");
    expect((await host.finished).code).toBe(143);
    expect(performance.now() - asked).toBeGreaterThan(9_500);
    const next = await serve(s);
    await eventually(() => expect(client.state.state).toBe("live"));
    const { items } = await client.request("get_queue", { sessionId });
    expect(items.map(({ content }) => content)).toEqual(["and later this"]);
    const { events } = await client.request("get_events", { sessionId });
    const reply = events.map(({ event }) => message(event)).find((each) => each?.role === "assistant");
    expect([reply.content[0].text, reply.stopReason]).toEqual(["first half", "aborted"]);
    never.open();
    await client.close();
    next.child.kill("SIGTERM");
    await next.finished;
  },
  LIMIT,
);
