import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { certificate, privateKey } from "../ws/certificate.ts";
import { startRelay } from "./relays.ts";

const UPGRADE = "GET /other HTTP/1.1\r\nHost: relay\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

/** Opens a TCP connection, which stays open until the relay closes it or the test ends. */
async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  socket.on("error", () => {});
  return socket;
}

/** Resolves when the relay has destroyed the connection, and not only ended its own direction. */
async function destroyed(socket: Socket): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // Written only after the relay has ended its direction, since it would answer such words by destroying the connection itself. To write to a
  // connection that the other end has destroyed is an error.
  let writes: NodeJS.Timeout | undefined;
  socket.once("end", () => {
    writes = setInterval(() => socket.write("more"), 10);
  });
  socket.resume();
  await closed;
  clearInterval(writes);
}

describe("a relay whose connections are not from peers", () => {
  it("answers a request to upgrade at another path, and destroys the connection", async () => {
    const relay = await startRelay();
    const socket = await open(relay.port);
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    socket.write(UPGRADE);
    await destroyed(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  });

  it("goes on when such a connection is reset", async () => {
    const relay = await startRelay();
    for (let count = 0; count < 20; count++) {
      const socket = await open(relay.port);
      socket.write(UPGRADE);
      if (count % 2 === 0) await new Promise((resolve) => socket.once("data", resolve));
      socket.resetAndDestroy();
    }
    const health = await fetch(`http://127.0.0.1:${relay.port}/healthz`);
    expect(await health.text()).toBe("ok\n");
  });

  it.each([
    ["", undefined],
    [" during the TLS handshake", { cert: Buffer.from(certificate), key: Buffer.from(privateKey) }],
  ])("stops although one says nothing%s", async (_when, tls) => {
    const relay = await startRelay({}, { tls });
    const socket = await open(relay.port);
    await Promise.all([relay.close(), destroyed(socket)]);
  });

  it("destroys the oldest of an address when it has too many", async () => {
    const relay = await startRelay({ socketsOfAddress: 2 });
    const [oldest] = [await open(relay.port), await open(relay.port)];
    await Promise.all([open(relay.port), destroyed(oldest)]);
    await expect(relay.client()).resolves.toBeDefined();
  });

  it("destroys the oldest of all when it has too many behind a proxy", async () => {
    const relay = await startRelay({ socketsOfAddress: 1, strangers: 2 }, { behindProxy: true });
    const [oldest, younger] = [await open(relay.port), await open(relay.port)];
    await Promise.all([open(relay.port), destroyed(oldest)]);
    expect(younger.destroyed).toBe(false);
  });

  it("destroys those that send no whole request in time", async () => {
    const relay = await startRelay({ requestMs: 100 });
    const [silent, slow] = [await open(relay.port), await open(relay.port)];
    slow.write("GET / HTTP/1.1\r\n");
    await Promise.all([silent, slow].map(destroyed));
  });
});
