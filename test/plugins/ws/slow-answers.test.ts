import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { connectHost, dialWebSocket } from "@scorel/host/client";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { ask } from "../host/home.ts";
import { testWeb } from "./home.ts";

/** Bytes that the line carries from the host every 40 ms. */
const PIECE = 8 * 1024;

/** A line to a port of this computer that is slow from there. Returns its own port. */
async function slowLine(port: number): Promise<number> {
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on("error", () => {}).on("close", () => other.destroy());
    near.pipe(far);
    const timer = setInterval(() => {
      const piece = far.read(Math.min(PIECE, far.readableLength));
      if (piece !== null) near.write(piece);
    }, 40);
    near.once("close", () => clearInterval(timer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it("a page keeps a connection over which an answer comes slowly, although browsers only tell of whole messages", async () => {
  await using t = await testWeb();
  const port = await slowLine(t.port);
  let dialed = 0;
  const client = await connectHost({
    dial: () =>
      dialWebSocket(t.address, (url) => {
        dialed++;
        const headers = { Host: `127.0.0.1:${t.port}` };
        return new WebSocket(url.replace(`:${t.port}`, `:${port}`), { headers }) as never;
      }),
    version: "1.0.0",
    token: () => t.token(),
    times: { ping: 100, dead: 1_500, firstRetry: 10, welcome: 4_000 },
  });
  onTestFinished(() => client.close());
  // As when the tab is shown again and again meanwhile. Each time, the host has a fifth of `welcome` for a sign of life.
  const showing = setInterval(() => client.hurry(), 1_000);
  onTestFinished(() => clearInterval(showing));
  const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
  const long = "ä😀".repeat(120_000);
  expect([await ask(client, sessionId, long), dialed]).toEqual([`echo: ${long}`, 1]);
});
