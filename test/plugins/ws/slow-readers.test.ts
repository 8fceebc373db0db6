import { once } from "node:events";
import { connect } from "node:net";
import { expect, it } from "vitest";
import type { Limits } from "../../../plugins/web-server/limits.ts";
import { startServer } from "../../../plugins/web-server/server.ts";
import { testHome } from "../host/home.ts";

/** More than the buffers between two programs of a computer hold. */
const FILE = Buffer.alloc(32 * 1024 * 1024, "x");

/** A web server with a large file that needs no token. */
async function serverWith(limits: Partial<Limits>) {
  const home = testHome();
  const server = await startServer({
    ...{ port: 0, bind: "127.0.0.1", tls: undefined, names: [], origins: [], pages: [], limits },
    routes: [
      { path: "/file", open: (_request, response) => void response.end(FILE) },
      { path: "/small", open: (_request, response) => void response.end("small") },
      { path: "/ws", upgrade: (_request, socket) => void socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n") },
    ],
    logger: { warn: () => {} },
  });
  const port = Number(new URL(server.address).port);
  return {
    connect: () => connect(port, "127.0.0.1").on("error", () => {}),
    head: (path: string, ...more: string[]) =>
      `${[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...more].join("\r\n")}\r\n\r\n`,
    request: [`GET /file HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Connection: close"].join("\r\n"),
    async [Symbol.asyncDispose]() {
      await server.close();
      home[Symbol.dispose]();
    },
  };
}

it("a file of the page arrives over a line on which it takes longer than a connection has to show its token", async () => {
  await using t = await serverWith({ deadlineMs: 1_000 });
  const socket = t.connect();
  socket.write(`${t.request}\r\n\r\n`);
  await once(socket, "readable");
  const silent = t.connect().resume();
  await once(silent, "close");
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  await once(socket, "close");
  expect(bytes).toBeGreaterThan(FILE.length);
});

it("a connection that does not read the file is closed after a while", async () => {
  await using t = await serverWith({ deadlineMs: 60_000, readingMs: 50 });
  const socket = t.connect();
  socket.write(`${t.request}\r\n\r\n`);
  await once(socket, "readable");
  const silent = t.connect();
  silent.write(t.request);
  // Written to until the server is gone: a connection that nobody reads does not tell its end.
  const writing = setInterval(() => socket.write("x"), 10);
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(writing);
  expect([socket.destroyed, silent.destroyed]).toEqual([true, false]);
  silent.destroy();
});

it("a WebSocket has as long to show its token as on a new connection, also after a file of the page on the same one", async () => {
  await using t = await serverWith({ deadlineMs: 1_000 });
  const socket = t.connect();
  socket.write(t.head("/small"));
  await once(socket, "data");
  socket.write(t.head("/ws", "Connection: Upgrade", "Upgrade: websocket"));
  const [answered] = await once(socket, "data");
  expect(String(answered)).toContain("101 Switching Protocols");
  await once(socket, "close");
});
