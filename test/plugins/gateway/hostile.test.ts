import { connect } from "node:net";
import type { Delivered } from "@scorel/host/contract";
import { describe, expect, it } from "vitest";
import { eventually } from "../../eventually.ts";
import { fc, seed } from "../../property.ts";
import { ask } from "../host/home.ts";
import { dial, testGateway } from "./home.ts";

const hello = { type: "hello", protocol: 1, version: "1.0.0" };

/** Opens a connection over which the test can send anything. */
async function raw(path: string) {
  const channel = await dial(path);
  const got: any[] = [];
  let isClosed = false;
  channel.open({
    message: (text) => void got.push(JSON.parse(text)),
    closed: () => {
      isClosed = true;
    },
  });
  return {
    got,
    send: (...messages: unknown[]) => {
      for (const message of messages) channel.send(typeof message === "string" ? message : JSON.stringify(message));
    },
    /** Resolves when the host has closed the connection, with the code of its error. */
    closed: async () => {
      await eventually(() => expect(isClosed).toBe(true));
      return got.find(({ type }) => type === "closing")?.error.code as string | undefined;
    },
    response: (requestId: number) =>
      eventually(() => {
        const all = got.filter((message) => message.type === "response" && message.requestId === requestId);
        expect(all.length).toBeGreaterThan(0);
        return all;
      }),
    close: () => channel.close(),
  };
}

/** `RUNS=1000000` sends more lines, which takes about eight minutes. */
const LINES = Number(process.env.RUNS ?? 10_000);
const FUZZING_MS = 120_000 + LINES;

const request = (requestId: number, operation: string, params: object = {}) => ({
  ...{ type: "request", requestId, operation, params },
});

describe("a client that violates the protocol", () => {
  it.each([
    ["a request before hello", request(1, "list_sessions"), "GATEWAY_MESSAGE"],
    ["no JSON", "hello", "GATEWAY_MESSAGE"],
    ["a list", [hello], "GATEWAY_MESSAGE"],
    ["an unknown type", { type: "open" }, "GATEWAY_MESSAGE"],
    ["an older client", { ...hello, protocol: 0 }, "GATEWAY_PROTOCOL"],
    ["a newer client, whose hello looks different", { ...hello, protocol: 2, keys: [1] }, "GATEWAY_PROTOCOL"],
    ["a long hello", { ...hello, name: "x".repeat(20_000) }, "GATEWAY_MESSAGE"],
  ])("is refused with the reason for %s, and nothing is executed", async (_, first, code) => {
    await using t = await testGateway();
    const client = await raw(t.path);
    client.send(first, hello, request(1, "create_session", { cwd: t.home.cwd }));
    expect(await client.closed()).toBe(code);
    expect(client.got.length).toBe(1);
    expect(await t.client.request("list_sessions", {})).toMatchObject({ sessions: [] });
    expect(t.gateway().clients()).toEqual([]);
  });

  it.each([
    ["a second hello", hello],
    ["no JSON", "}{"],
    ["an unknown type", { type: "open" }],
    ["a requestId that is not a number", { type: "request", requestId: "1", operation: "list_sessions", params: {} }],
  ])("is disconnected for %s after it was accepted, and leaves its sessions", async (_, message) => {
    await using t = await testGateway();
    const client = await raw(t.path);
    client.send(hello, message, request(1, "create_session", { cwd: t.home.cwd }));
    expect(await client.closed()).toBe("GATEWAY_MESSAGE");
    expect(client.got.map(({ type }) => type)).toEqual(["welcome", "closing"]);
    expect(t.gateway().clients()).toEqual([]);
  });

  it("gets the first answer again for a requestId that it has used, and nothing is executed twice", async () => {
    await using t = await testGateway();
    const client = await raw(t.path);
    client.send(hello, request(7, "create_session", { cwd: t.home.cwd }));
    const [first] = await client.response(7);
    client.send(request(7, "create_session", { cwd: t.home.cwd, name: "another" }), { type: "ping", answered: 0 });
    await eventually(() => expect(client.got.at(-1)).toEqual({ type: "pong" }));
    expect(await client.response(7)).toEqual([first, first]);
    client.send({ type: "ping", answered: 7 }, request(7, "create_session", { cwd: t.home.cwd }));
    await eventually(() => expect(client.got.at(-1)?.error?.code).toBe("GATEWAY_RESULT_GONE"));
    client.close();
  });

  it("has one subscription for each number, the last one", async () => {
    await using t = await testGateway();
    const { sessionId } = await t.client.request("create_session", { cwd: t.home.cwd });
    const client = await raw(t.path);
    const subscribe = (requestId: number) => ({
      ...{ type: "subscribe", requestId, subscription: 5, sessionId, options: {} },
    });
    client.send(hello, ...[1, 2, 3, 4].map(subscribe));
    await client.response(4);
    await ask(t.client, sessionId, "hello");
    client.send({ type: "drain", requestId: 9, sessionId });
    await client.response(9);
    const ids = client.got.flatMap(({ type, events }) =>
      type === "events" ? events.flatMap(({ event }: Delivered) => ("id" in event ? event.id : [])) : [],
    );
    expect(ids.length).toBe(new Set(ids).size);
    client.send(subscribe(10), { type: "unsubscribe", requestId: 11, subscription: 5 });
    await client.response(11);
    const { length } = client.got;
    await ask(t.client, sessionId, "again");
    client.send({ type: "drain", requestId: 12, sessionId });
    await client.response(12);
    expect(client.got.slice(length).filter(({ type }) => type === "events")).toEqual([]);
    client.close();
  });

  it("is told what is wrong with a request, and can continue", async () => {
    await using t = await testGateway();
    const client = await raw(t.path);
    client.send(hello);
    client.send({ type: "subscribe", requestId: 1, subscription: 1, sessionId: "nothing", options: {} });
    client.send(request(2, "answer_request", { sessionId: "nothing", requestId: "gone", answer: "y" }));
    client.send(request(3, "__proto__"), request(4, "constructor", { sessionId: "nothing" }));
    for (const requestId of [1, 2, 3, 4]) {
      const [answer] = await client.response(requestId);
      expect(answer.error).toEqual(expect.objectContaining({ code: expect.stringMatching(/^[A-Z]+_[A-Z_]+$/) }));
    }
    client.send(request(5, "list_sessions"));
    expect((await client.response(5))[0].result).toMatchObject({ sessions: [] });
    client.close();
  });

  it(`leaves the host whole, whatever ${LINES} lines it sends`, { timeout: FUZZING_MS }, async () => {
    await using t = await testGateway();
    const seeds = [
      hello,
      request(1, "list_sessions"),
      { type: "subscribe", requestId: 2, subscription: 1, sessionId: "x", options: { tail: "all" } },
      { type: "watch", requestId: 3, subscription: 2 },
      { type: "unsubscribe", requestId: 4, subscription: 1 },
      { type: "drain", requestId: 5, sessionId: "x" },
      { type: "processed", characters: 9 },
      { type: "ping", answered: 1e15 },
      { type: "leave" },
    ].map((message) => JSON.stringify(message));
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }),
      fc.json({ maxDepth: 3 }),
      fc.constant("[".repeat(50_000)),
      fc.constantFrom(...seeds),
      fc
        .tuple(fc.constantFrom(...seeds), fc.nat(), fc.string({ maxLength: 3 }), fc.nat(5))
        .map(([text, at, put, cut]) => {
          const from = at % text.length;
          return text.slice(0, from) + put + text.slice(from + cut);
        }),
    );
    const before = process.memoryUsage().rss;
    for (let sent = 0; sent < LINES; sent += 10_000) {
      const lines = fc.sample(fc.array(line, { minLength: 20, maxLength: 20 }), { numRuns: 500, seed: seed + sent });
      for (const [n, some] of lines.entries()) {
        const socket = connect(t.path);
        socket.on("error", () => {});
        socket.end(`${(n % 2 === 0 ? [seeds[0], ...some] : some).join("\n")}\n`);
        await new Promise((resolve) => socket.resume().once("close", resolve));
      }
    }
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(300);
    const client = await t.connect();
    expect(await client.request("list_sessions", {})).toMatchObject({ sessions: [] });
  });
});
