import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type ChannelOptions, socketChannel } from "../../../plugins/ws/channel.ts";
import { eventually } from "../../eventually.ts";

/** Both ends of a connection: the channel of a server with its sockets, and the WebSocket of a client. */
async function connected(options: ChannelOptions) {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new WebSocketServer({ server, perMessageDeflate: false, autoPong: false });
  const accepted = once(sockets, "connection");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  const [socket, { socket: connection }] = (await accepted) as [WebSocket, { socket: Socket }];
  await once(client, "open");
  onTestFinished(() => {
    client.terminate();
    server.close();
  });
  const channel = socketChannel(socket, { ...options, connection });
  const [heard, ends]: [string[], string[]] = [[], []];
  channel.open({ message: (text) => void heard.push(text), closed: (reason = "") => void ends.push(reason) });
  return { channel, socket, connection, client, heard, ends };
}

it("a client that sent too many messages is not read again before its time because it has read an answer", async () => {
  const { channel, socket, connection, client, heard } = await connected({ limits: { burst: 1, perSecond: 0.001 } });
  for (const text of ["one", "two"]) client.send(text);
  await eventually(() => expect(heard).toEqual(["one", "two"]));
  const drained = once(connection, "drain");
  channel.send("x".repeat(8 * 1024 * 1024));
  await drained;
  expect(socket.isPaused).toBe(true);
});

it("a client that reads no answers is not read again because the time of its too many messages is over", async () => {
  const { channel, socket, client, heard } = await connected({ limits: { burst: 1, perSecond: 1 } });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (const text of ["one", "two"]) client.send(text);
  await eventually(() => expect(heard).toEqual(["one", "two"]));
  client.pause();
  for (let count = 0; count < 2; count++) channel.send("x".repeat(8 * 1024 * 1024));
  vi.advanceTimersByTime(60_000);
  expect(socket.isPaused).toBe(true);
  client.resume();
  await eventually(() => expect(socket.isPaused).toBe(false));
});

it("a connection over which a part of a message comes is not dead, although no answer to a ping has come", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { connection, client, ends } = await connected({});
  const { _socket: raw } = client as unknown as { _socket: Socket };
  // The header of a text of 1,000 bytes, and the key of its mask.
  raw.write(Buffer.from([0x81, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]));
  for (let count = 0; count < 5; count++) {
    const { bytesRead } = connection;
    raw.write("part");
    await eventually(() => expect(connection.bytesRead).toBeGreaterThan(bytesRead));
    vi.advanceTimersByTime(12_500);
  }
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(12_500);
  expect(ends).toEqual(["it does not answer"]);
});

it("an answer as long as may be is not taken for a client that does not read, but more than that is", async () => {
  const { channel, client, ends } = await connected({});
  const got: number[] = [];
  client.on("message", (data) => void got.push(String(data).length));
  const long = "x".repeat(60 * 1024 * 1024);
  client.pause();
  channel.send(long);
  for (let count = 0; count < 3; count++) channel.send("an event");
  expect(ends).toEqual([]);
  client.resume();
  await eventually(() => expect(got).toEqual([long.length, 8, 8, 8]));
  client.pause();
  for (let count = 0; count < 2; count++) channel.send(long);
  expect(ends).toEqual([]);
  channel.send("an event");
  expect(ends).toEqual([expect.stringMatching(/^it does not read, and \d+ bytes wait for it$/)]);
});
