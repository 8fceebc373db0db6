import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import type { LinkState } from "@scorel/host/client";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import type { Listening } from "../../../plugins/gateway/contract.ts";
import { listenOn } from "../../../plugins/socket/socket.ts";
import { startServer } from "../../../plugins/web-server/server.ts";
import { eventually } from "../../eventually.ts";
import { dial, testGateway } from "../gateway/home.ts";
import { testHome } from "../host/home.ts";
import { raw, statusOf, testWeb, upgrade } from "./home.ts";

/** Closes what listens at the end of a test. */
const closing = (listening: Listening) => ({ ...listening, [Symbol.asyncDispose]: () => listening.close() });

/** A web server with room for so many connections. */
async function smallServer(connections: number) {
  const home = testHome();
  const options = { port: 0, bind: "127.0.0.1", tls: undefined, routes: [], names: [], origins: [] };
  const server = await startServer({ ...options, logger: { warn: () => {} }, limits: { connections } } as never);
  const port = Number(new URL(server.address).port);
  return {
    server,
    port,
    health: () => raw(port, ["GET /healthz HTTP/1.1", `Host: 127.0.0.1:${port}`]),
    upgrade: () => raw(port, ["GET /ws HTTP/1.1", `Host: 127.0.0.1:${port}`, ...upgrade]),
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

it("a request beyond the limit of connections is answered with 503 and Retry-After", async () => {
  await using t = await smallServer(1);
  const first = connect(t.port, "127.0.0.1");
  await once(first, "connect");
  for (const answer of [await t.health(), await t.upgrade()]) {
    expect(statusOf(answer)).toBe(503);
    expect(answer).toMatch(/^Retry-After: 5\r$/m);
  }
  expect(await t.health()).toContain("The host has too many connections. Try again in 5 s.");
  first.destroy();
  await eventually(async () => expect(statusOf(await t.health())).toBe(200));
});

it("a request to a host that stops is answered with 503, and one that is being answered goes on", async () => {
  await using t = await smallServer(10);
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
  // The first connection is to the host, the second one to a server that is busy.
  const addresses = [t.address, busy, t.address];
  const client = await t.connect({
    dial: () => t.dial(addresses.shift() as string, { tokenFile: t.tokenPath("owner") }),
  });
  const states: LinkState[] = [];
  client.onState((state) => void states.push(state));
  // A token that is replaced ends the connection.
  await t.write("owner", ["admin"]);
  await eventually(() => expect([served.length, client.state.state]).toEqual([2, "live"]));
  const waits = states.filter((state) => state.state === "waiting");
  expect(waits.map(({ reason }) => reason).at(-1)).toContain("takes no connections now");
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
    error: { code: "GATEWAY_FULL", data: { max: 256 }, message: expect.stringContaining("as many as it takes") },
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
