import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { definePlugin } from "@scorel/kernel";
import { expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { socketChannel } from "../../../plugins/ws/channel.ts";
import { eventually } from "../../eventually.ts";
import { usedBytes } from "../../memory.ts";
import { echoAgent } from "../host/home.ts";
import { testGateway } from "./home.ts";

const MEGABYTES = 8;
const hello = { type: "hello", protocol: 1, version: "1.0.0" };

type Stage = Awaited<ReturnType<typeof testGateway>>;
/** A client that sends messages and never reads. */
interface Mute {
  send(message: object): void;
  close(): void;
}

async function overSocket({ path }: Stage): Promise<Mute> {
  const socket = connect(path).pause();
  socket.on("error", () => {});
  return { send: (message) => socket.write(`${JSON.stringify(message)}\n`), close: () => socket.destroy() };
}

async function overWebSocket({ gateway }: Stage): Promise<Mute> {
  const server = createServer();
  new WebSocketServer({ server, perMessageDeflate: false }).on("connection", (socket, { socket: connection }) =>
    gateway().accept(socketChannel(socket, { connection }), { transport: "ws", admit: () => ({}) }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  socket.on("error", () => {});
  socket.pause();
  return {
    send: (message) => socket.send(JSON.stringify(message)),
    close: () => {
      socket.terminate();
      server.close();
    },
  };
}

const asks = {
  nothing: () => [],
  "for the operations, 5,000 times": () =>
    Array.from({ length: 5_000 }, () => ({ operation: "list_operations", params: {} })),
  "for all events, 500 times": (sessionId: string) =>
    Array.from({ length: 500 }, () => ({ operation: "get_events", params: { sessionId } })),
  "for 500 subscriptions with all events": (sessionId: string) =>
    Array.from({ length: 500 }, (_, n) => ({
      subscription: 10 + n,
      sessionId,
      options: { tail: "all", capacity: 100_000 },
    })),
};

it.each(
  Object.entries(asks).flatMap(([what, all]) => [
    ["a Unix socket", what, overSocket, all] as const,
    ["WebSocket", what, overWebSocket, all] as const,
  ]),
)("a client over %s that reads nothing and asks %s costs little, and slows nobody", async (_, __, open, all) => {
  let emit = (_text: string): unknown => undefined;
  const talker = definePlugin({
    id: "talker",
    name: "Talker",
    version: "1.0.0",
    events: {
      words: { schema: z.strictObject({ text: z.string() }), transient: true },
      line: { schema: z.strictObject({ text: z.string() }) },
    },
    activate: ({ session }) => {
      emit = (text) => (session as any).emit("words", { text });
      lines = (text) => (session as any).append("line", { text });
    },
  });
  let lines = async (_text: string): Promise<unknown> => undefined;
  await using t = await testGateway({ plugins: [echoAgent, talker] });
  const client = await t.connect();
  const { sessionId } = await client.request("create_session", { cwd: t.home.cwd });
  for (let n = 0; n < 100; n++) await lines("y".repeat(10_000));
  let heard = 0;
  await client.subscribe(sessionId, () => void heard++);
  const words = "x".repeat(10_000);
  const burden = async () => {
    const before = await usedBytes();
    const mute = await open(t);
    mute.send(hello);
    await eventually(() =>
      expect(
        t
          .gateway()
          .clients()
          .filter(({ connected }) => connected).length,
      ).toBe(2),
    );
    mute.send({ type: "subscribe", requestId: 1, subscription: 1, sessionId, options: {} });
    for (const [n, ask] of all(sessionId).entries())
      mute.send({ type: "subscription" in ask ? "subscribe" : "request", requestId: n + 2, ...ask });
    heard = 0;
    for (let n = 0; n < 2_000; n++) {
      emit(words);
      if (n % 50 === 0) await client.drained(sessionId);
    }
    await client.drained(sessionId);
    expect(heard).toBeGreaterThanOrEqual(2_000);
    const bytes = (await usedBytes()) - before;
    mute.close();
    await eventually(() =>
      expect(
        t
          .gateway()
          .clients()
          .filter(({ connected }) => connected).length,
      ).toBe(1),
    );
    return bytes / 1e6;
  };
  // The first run compiles code, makes schemas, and fills the buffer that a session keeps for reconnecting clients.
  await burden();
  expect(await burden()).toBeLessThan(MEGABYTES);
});
