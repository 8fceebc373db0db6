import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { duplexPair } from "node:stream";
import type { Channel, LinkState } from "@scorel/host/client";
import type { ClientScope } from "@scorel/host/contract";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Listening } from "../../../plugins/gateway/contract.ts";
import { lineChannel } from "../../../plugins/kit/net/line-channel.ts";
import type { Scope } from "../../../plugins/kit/values/scopes.ts";
import { listenOn } from "../../../plugins/socket/socket.ts";
import type { WebRoute } from "../../../plugins/web-server/contract.ts";
import type { Limits } from "../../../plugins/web-server/limits.ts";
import { startServer } from "../../../plugins/web-server/server.ts";
import { writeToken } from "../../../plugins/web-server/tokens.ts";
import { acceptSocket } from "../../../plugins/ws/accept.ts";
import { dialSocket } from "../../../plugins/ws/dial.ts";
import { eventually } from "../../eventually.ts";
import { dial, testGateway } from "../gateway/home.ts";
import { testHome } from "../host/home.ts";
import { raw, statusOf, testWeb, upgrade } from "./home.ts";

/** Closes a listening server at the end of a test. */
const closing = (listening: Listening) => ({ ...listening, [Symbol.asyncDispose]: () => listening.close() });

/** A web server that accepts few connections. `/stream` is answered without an end, and `/quick` at once. */
async function smallServer(limits: Partial<Limits>, upgrading?: WebRoute["upgrade"]) {
  const home = testHome();
  const streams: ServerResponse[] = [];
  const routes: WebRoute[] = [
    {
      path: "/stream",
      request: (_request, response) => {
        streams.push(response);
        response.write("begun");
      },
    },
    { path: "/quick", request: (_request, response) => void response.end("done") },
    ...(upgrading ? [{ path: "/ws", upgrade: upgrading }] : []),
  ];
  const options = { port: 0, bind: "127.0.0.1", tls: undefined, routes, names: [], origins: [], pages: [] };
  const server = await startServer({ ...options, logger: { warn: () => {} }, limits });
  const port = Number(new URL(server.address).port);
  const lines = (path: string, token?: string) => [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ];
  return {
    server,
    port,
    streams,
    token: async (name: string, scopes: Scope[]) =>
      readFileSync((await writeToken(name, () => scopes)).path, "utf8").trim(),
    lines,
    health: () => raw(port, lines("/healthz")),
    quick: (token: string) => raw(port, [...lines("/quick", token), "Connection: close"]),
    upgrade: (token?: string) => raw(port, [...lines("/ws", token), ...upgrade]),
    /** Opens a stream that is never read. Resolves when it has begun. */
    stream: async (token: string) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {}).write(`${lines("/stream", token).join("\r\n")}\r\n\r\n`);
      await once(socket, "readable");
      return socket;
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n"))).error;

it("a request beyond the limit of connections is answered with 503 and Retry-After", async () => {
  await using t = await smallServer({ connections: 1 });
  const first = await t.stream(await t.token("owner", ["admin"]));
  for (const answer of [await t.health(), await t.upgrade()]) {
    expect(statusOf(answer)).toBe(503);
    expect(answer).toMatch(/^Retry-After: 5\r$/m);
  }
  expect(await t.health()).toContain("The host has too many connections. Try again in 5 s.");
  first.destroy();
  await eventually(async () => expect(statusOf(await t.health())).toBe(200));
});

it("a token gets so many connections and no more, however they are used, and the owner's is not counted", async () => {
  await using t = await smallServer({ perToken: 2 });
  const [viewer, other] = [await t.token("viewer", ["view"]), await t.token("other", ["view"])];
  const owner = await t.token("owner", ["admin"]);
  const [first] = [await t.stream(viewer), await t.stream(viewer)];
  for (const answer of [await t.quick(viewer), await t.upgrade(viewer)]) {
    expect(statusOf(answer)).toBe(429);
    expect(answer).toMatch(/^Retry-After: 5\r$/m);
    expect(bodyOf(answer)).toEqual({
      code: "WEB_TOKEN_FULL",
      message: expect.stringContaining('The token "viewer" has 2 connections or event streams open'),
    });
  }
  expect(statusOf(await t.quick(other))).toBe(200);
  const own = await Promise.all(Array.from({ length: 4 }, () => t.stream(owner)));
  expect(statusOf(await t.quick(owner))).toBe(200);
  first?.destroy();
  await eventually(async () => expect(statusOf(await t.quick(viewer))).toBe(200));
  for (const socket of own) socket.destroy();
});

it("requests that come one after the other over one connection, without waiting for answers, are limited as well", async () => {
  await using t = await smallServer({ perToken: 2 });
  const request = `${t.lines("/stream", await t.token("viewer", ["view"])).join("\r\n")}\r\n\r\n`;
  const socket = connect(t.port, "127.0.0.1");
  socket.write(request.repeat(20));
  await eventually(() => expect(t.streams.length).toBe(2));
  expect(statusOf(await t.quick(await t.token("owner", ["admin"])))).toBe(200);
  expect(t.streams.length).toBe(2);
  socket.destroy();
});

it("neither connections of other tokens nor connections without a token take the owner's places", async () => {
  await using t = await smallServer({ connections: 4, reserved: 2, pending: 3 });
  const [one, two, three] = [
    await t.token("one", ["view"]),
    await t.token("two", ["view", "prompt", "approve"]),
    await t.token("three", ["view"]),
  ];
  const owner = await t.token("owner", ["admin"]);
  const held = [await t.stream(one), await t.stream(two)];
  for (const answer of [await t.quick(three), await t.upgrade(three)]) {
    expect(statusOf(answer)).toBe(503);
    expect(bodyOf(answer).message).toBe("The host has too many connections. Try again in 5 s.");
  }
  const silent = Array.from({ length: 6 }, () => connect(t.port, "127.0.0.1").on("error", () => {}));
  await eventually(() => expect(silent.filter((socket) => socket.readyState === "open").length).toBe(3));
  held.push(await t.stream(owner));
  expect(statusOf(await t.quick(owner))).toBe(200);
  expect(statusOf(await t.health())).toBe(200);
  for (const socket of [...held, ...silent]) socket.destroy();
});

it("a page that shows a token with too many connections in its first message is told when to try again", async () => {
  await using g = await testGateway();
  await using t = await smallServer({ perToken: 1 }, (...given) => acceptSocket(g.gateway(), ...given));
  const viewer = await t.token("viewer", ["view"]);
  const held = await t.stream(viewer);
  const socket = new WebSocket(`ws://127.0.0.1:${t.port}/ws`);
  await once(socket, "open");
  const answer = once(socket, "message");
  socket.send(JSON.stringify({ type: "hello", protocol: 1, version: "1.0.0", token: viewer }));
  expect(JSON.parse(String((await answer)[0]))).toEqual({
    type: "closing",
    retry: true,
    retryAfter: 5,
    error: { code: "WEB_TOKEN_FULL", message: expect.any(String), data: { name: "viewer", max: 1, seconds: 5 } },
  });
  const again = dialSocket(new URL(`ws://127.0.0.1:${t.port}/ws`), {
    env: { SCOREL_HOST_TOKEN: viewer },
    insecure: true,
  });
  await expect(again).rejects.toMatchObject({
    code: "WS_BUSY",
    retryAfter: 5,
    message: expect.stringContaining("no more connections with this token"),
  });
  held.destroy();
});

it("clients with a scope leave places in the host to those without one", async () => {
  await using t = await testGateway({ limits: { clients: 3, reserved: 2 } });
  const accept = async (scope?: ClientScope) => {
    const [client, host] = duplexPair().map((end) => lineChannel(end, end)) as [Channel, Channel];
    t.gateway().accept(host, { transport: "test", admit: () => ({ scope }) });
    const answer = new Promise<string>((resolve) => client.open({ message: resolve, closed: () => {} }));
    client.send(JSON.stringify({ type: "hello", protocol: 1, version: "1.0.0" }));
    return JSON.parse(await answer).type;
  };
  const view = { operations: ["read"] };
  expect([await accept(view), await accept(view), await accept(), await accept(), await accept()]).toEqual([
    "welcome",
    "closing",
    "welcome",
    "welcome",
    "closing",
  ]);
});

it("a request to a host that stops is answered with 503, and one that is being answered goes on", async () => {
  await using t = await smallServer({ connections: 10 });
  expect(statusOf(await t.health())).toBe(200);
  t.server.refuse?.();
  for (const answer of [await t.health(), await t.upgrade()]) {
    expect(statusOf(answer)).toBe(503);
    expect(answer).toMatch(/^Retry-After: 5\r$/m);
  }
});

it("a client over WebSocket that gets 503 says so, and connects again when it was told to", async () => {
  await using t = await testWeb();
  const served: number[] = [];
  const server = createServer();
  server.on("upgrade", (_request, socket) => {
    served.push(performance.now());
    socket.end("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const busy = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(t.dial(busy, { insecure: true })).rejects.toMatchObject({ code: "WS_BUSY", retryAfter: 1 });
  // The first connection goes to the host, the second to a busy server.
  const addresses = [t.address, busy, t.address];
  const client = await t.connect({
    dial: () => t.dial(addresses.shift() as string, { tokenFile: t.tokenPath("owner") }),
  });
  const states: LinkState[] = [];
  client.onState((state) => void states.push(state));
  // Replacing a token ends its connections.
  await t.write("owner", ["admin"]);
  await eventually(() => expect([served.length, client.state.state]).toEqual([2, "live"]));
  const waits = states.filter((state) => state.state === "waiting");
  expect(waits.map(({ reason }) => reason).at(-1)).toContain("accepts no connections now");
  expect(performance.now() - (served.at(-1) as number)).toBeGreaterThan(900);
  server.close();
});

it("a connection to the socket beyond its limit is told so, and when to try again", async () => {
  await using t = await testGateway();
  const path = join(t.home.home, "limited.sock");
  await using listening = closing(await listenOn(path, t.gateway()));
  const open = await Promise.all(Array.from({ length: 256 }, () => dial(listening.address)));
  const channel = await dial(path);
  const answer = new Promise<string>((resolve) => channel.open({ message: resolve, closed: () => {} }));
  expect(JSON.parse(await answer)).toEqual({
    type: "closing",
    retry: true,
    retryAfter: 5,
    error: { code: "GATEWAY_FULL", data: { max: 256 }, message: expect.stringContaining("which is the maximum") },
  });
  for (const each of open) each.close();
});

it("a message that is too large ends the connection with the limit as the reason, told as all ends are", async () => {
  await using t = await testWeb();
  const socket = new WebSocket(t.address);
  const got: string[] = [];
  socket.on("message", (data) => void got.push(String(data)));
  await once(socket, "open");
  const closed = once(socket, "close");
  socket.send("x".repeat(1024 * 1024 + 1));
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1009, "a message may have at most 1048576 bytes"]);
  const message = expect.stringContaining("at most 1048576 bytes");
  const error = { code: "WS_TOO_LARGE", message, data: { max: 1024 * 1024 } };
  expect(got.map((text) => JSON.parse(text))).toEqual([{ type: "closing", retry: false, error }]);
});
