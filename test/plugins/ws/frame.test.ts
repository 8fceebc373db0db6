import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { LONGEST_PART } from "../../../plugins/kit/net/parts.ts";
import { frameOf, framesOf } from "../../../plugins/ws/frame.ts";

it("makes frames of every length that a client reads as the same texts, in order with the library's own", async () => {
  const texts = [0, 1, 125, 126, 127, 65_535, 65_536, 300_000].map((length) =>
    "é".repeat(length >> 1).padEnd(length, "x"),
  );
  const server = createServer();
  const sockets = new WebSocketServer({ server, perMessageDeflate: false });
  sockets.on("connection", (socket, { socket: connection }) => {
    for (const text of texts) {
      connection.write(frameOf(text));
      socket.send(text);
      connection.write(frameOf(text));
    }
    socket.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const got: string[] = [];
  client.on("message", (data, isBinary) => got.push(isBinary ? "binary" : data.toString()));
  await new Promise((resolve, reject) => client.once("close", resolve).once("error", reject));
  server.close();
  expect(got).toEqual(texts.flatMap((text) => [text, text, text]));
});

it("a message is encoded once for all clients, with and without parts", () => {
  const message = "x".repeat(3 * LONGEST_PART);
  const frames = [framesOf, frameOf].map((encode) => encode(message));
  expect([framesOf(message), frameOf(message)].map((again, at) => again === frames[at])).toEqual([true, true]);
  expect(frames[0]?.length).toBeGreaterThan(frames[1]?.length as number);
});
