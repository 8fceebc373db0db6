import { connect, type Socket } from "node:net";
import { expect, it } from "vitest";
import { raw, statusOf, testWeb, upgrade } from "./home.ts";

it("resource abuse is limited: 192 connections without a token from one address, and 5 seconds to show one", async () => {
  await using t = await testWeb();
  const open = () =>
    new Promise<Socket>(
      (resolve) =>
        void connect(t.port, "127.0.0.1", function (this: Socket) {
          resolve(this);
        }),
    );
  const closed = (socket: Socket) =>
    new Promise<void>(
      (resolve) =>
        void socket
          .on("error", () => {})
          .once("close", () => resolve())
          .resume(),
    );
  const [oldest, ...sockets] = (await Promise.all(Array.from({ length: 193 }, open))) as [Socket, ...Socket[]];
  const since = performance.now();
  const ends = sockets.map(closed);
  await closed(oldest);
  expect(performance.now() - since).toBeLessThan(2_000);
  const client = await t.connect();
  await expect(client.request("list_sessions", {})).resolves.toEqual({ sessions: [] });
  // A connection that sends a request byte by byte is closed as well.
  sockets[0]?.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${t.port}\r\nX-Slow: `);
  sockets[1]?.write(["GET /ws HTTP/1.1", `Host: 127.0.0.1:${t.port}`, ...upgrade, "", ""].join("\r\n"));
  await Promise.all(ends);
  expect(performance.now() - since).toBeLessThan(10_000);
  const health = ["GET /healthz HTTP/1.1", `Host: 127.0.0.1:${t.port}`, "Connection: close"];
  expect(statusOf(await raw(t.port, health))).toBe(200);
});
