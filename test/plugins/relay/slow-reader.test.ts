import { expect, it, onTestFinished, vi } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import type { PeerRoute } from "../../../plugins/relay/peer/route.ts";
import { routedChannel } from "../../../plugins/relay/peer/routed-channel.ts";
import { Flow } from "../../../plugins/relay/protocol/flow.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";
import { eventually } from "../../eventually.ts";
import { link, settle } from "./ends.ts";
import { grantFor, Heard, startRelay, type TestPeer } from "./relays.ts";

const MIB = 1024 * 1024;

/** Two ends with a line between them that carries what the client is sent only when the test says so. */
function slowLine() {
  const waiting: Bytes[] = [];
  let isHeld = false;
  const pass = (bytes: Bytes) => {
    if (!isHeld) return [bytes];
    waiting.push(bytes);
    return [];
  };
  const ends = link({ toClient: pass });
  const carry = (most: number) => {
    for (const bytes of waiting.splice(0, most)) ends.client.channel.receive(bytes);
  };
  const hold = () => {
    isHeld = true;
  };
  return { ...ends, waiting, carry, hold };
}

/** A host and a device with a channel over a relay, and what each of them hears. */
async function overRelay() {
  const relay = await startRelay();
  const [host, device] = [await relay.host(), await relay.client()];
  const near = device.connection.open(await grantFor(host.identity, device.identity));
  const far = await host.routes.next();
  const end = (role: "host" | "client", route: PeerRoute, own: TestPeer, other: TestPeer) => {
    const [texts, closed] = [new Heard<string>(), new Heard<string | undefined>()];
    const keys = { identity: own.identity, peer: other.identity.publicKeys };
    const channel = routedChannel({ primitives: nodeCrypto, role, route, ...keys });
    channel.open({ message: texts.add, closed: closed.add });
    return { channel, texts, closed, socket: own.socket };
  };
  const ends = { host: end("host", far, host, device), device: end("client", near, device, host) };
  ends.device.channel.send("What is in this session?");
  await ends.host.texts.next();
  return ends;
}

it("a device on a slow line gets answers that are larger than what a relay holds for it", async () => {
  const { host, device } = await overRelay();
  device.socket.pause();
  const answer = "a large picture ".repeat(MIB);
  host.channel.send(answer);
  await eventually(() => expect([host.channel.unsent < answer.length, host.socket.bufferedAmount]).toEqual([true, 0]));
  device.socket.resume();
  expect([(await device.texts.next()) === answer, host.closed.all]).toEqual([true, []]);
});

it("a channel is closed after what was sent, which may be more than can be on its way at once", async () => {
  const { host, device } = await overRelay();
  const answer = "x".repeat(5 * MIB);
  host.channel.send(answer);
  host.channel.close();
  device.channel.send("This is not heard any more.");
  expect([(await device.texts.next()) === answer, await device.closed.next()]).toEqual([true, undefined]);
  expect([host.texts.all, await host.closed.next()]).toEqual([["What is in this session?"], undefined]);
});

it("only so much is on its way, and the rest follows what has arrived", async () => {
  const t = slowLine();
  t.client.channel.send("Hello.");
  await settle();
  t.hold();
  const text = "x".repeat(10 * MIB);
  t.host.channel.send(text);
  await settle();
  const most: number[] = [];
  while (t.client.texts.length === 0) {
    most.push(t.waiting.reduce((sum, { length }) => sum + length, 0));
    t.carry(5);
    await settle(3);
  }
  expect([Math.max(...most) < 2.1 * MIB, t.client.texts[0] === text, t.host.closed]).toEqual([true, true, undefined]);
});

it("an end that reads nothing can still be told what the other has received, and both can send much at once", async () => {
  const { client, host } = link();
  const text = "y".repeat(12 * MIB);
  client.channel.send(text);
  host.channel.send(text);
  await eventually(() => expect([client.texts.length, host.texts.length]).toEqual([1, 1]));
  expect([client.texts[0] === text, host.texts[0] === text]).toEqual([true, true]);
});

it("a channel to an end that does not read is closed after a few seconds", async () => {
  const t = slowLine();
  t.client.channel.send("Hello.");
  await settle();
  t.hold();
  t.host.channel.send("x".repeat(10 * MIB));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  t.host.channel.close();
  await settle();
  const before = t.host.closed;
  vi.advanceTimersByTime(5_000);
  expect([before, t.host.closed]).toEqual([undefined, { reason: undefined, told: "done" }]);
});

it("a channel to an end that has lost its rights is cut at once", async () => {
  const t = slowLine();
  t.client.channel.send("Hello.");
  await settle();
  t.hold();
  t.host.channel.send("x".repeat(10 * MIB));
  t.host.channel.cut();
  expect(t.host.closed).toEqual({ reason: undefined, told: "done" });
});

it("an end that does not read is given up when too much waits behind a text, however long that is", async () => {
  const t = slowLine();
  t.client.channel.send("Hello.");
  await settle();
  t.hold();
  for (const length of [50, 20, 20, 20]) t.host.channel.send("x".repeat(length * MIB));
  expect(t.host.closed).toEqual({ reason: `it does not read, and ${40 * MIB} bytes wait for it`, told: "limit" });
});

it("only what was sent can be acknowledged, and it cannot be taken back", () => {
  const flow = new Flow();
  flow.sent(1_000);
  flow.arrived(600);
  for (const count of [599, 1_001]) expect(() => flow.arrived(count)).toThrow("what was not sent is acknowledged");
});
