import { expect, it } from "vitest";
import { concat } from "../../../plugins/relay/protocol/bytes.ts";
import { decodeFrames, encodeFrame } from "../../../plugins/relay/protocol/frames.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";
import { DEFAULT_LIMITS } from "../../../plugins/relay/server/limits.ts";
import { type Route, type RouteEnd, Routes } from "../../../plugins/relay/server/routes.ts";
import { eventually } from "../../eventually.ts";
import { startRelay } from "./relays.ts";

function end(role: "host" | "client"): RouteEnd & { frames: Bytes[] } {
  const frames: Bytes[] = [];
  return {
    role,
    id: role,
    routes: new Map<bigint, Route>(),
    isFull: false,
    frames,
    forward: (frame) => void frames.push(frame),
    send: () => {},
  };
}

it("a small frame that waits does not keep its large message in memory", () => {
  const [visitor, host] = [end("client"), end("host")];
  const routes = new Routes(DEFAULT_LIMITS);
  routes.open({ id: 1n, visitor, host, serial: 1n });
  const [small, large] = [new Uint8Array([7]), new Uint8Array(1_000).fill(8)];
  const message = concat(encodeFrame("data", 1n, small), encodeFrame("data", 1n, large));
  for (const frame of decodeFrames(message, "client", "relay")) routes.pass(visitor, frame);
  expect(concat(...host.frames)).toEqual(message);
  expect(host.frames.map(({ buffer, length }) => buffer.byteLength <= 4 * length)).toEqual([true, true]);
});

it("a relay ends the connection of a peer that reads no answers to its pings", async () => {
  const many = { burst: 1e12, perSecond: 1e12 };
  const relay = await startRelay({ unsent: 64 * 1024, frames: many, bytes: many });
  const { socket, closed } = await relay.client();
  socket.pause();
  const pings = concat(...Array.from({ length: 10_000 }, () => encodeFrame("ping", 0n, new Uint8Array(8))));
  // More than the system buffers.
  await eventually(() => {
    if (socket.bufferedAmount === 0) socket.send(pings);
    expect(relay.relay.counts.clients).toBe(0);
  });
  socket.resume();
  expect(await closed.next()).toBe("limit");
});
