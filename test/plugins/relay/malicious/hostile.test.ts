import { describe, expect, it } from "vitest";
import { PROTOCOL } from "../../../../plugins/host/client/wire.ts";
import { dialPaired, pairedAddress } from "../../../../plugins/relay/client/dial.ts";
import { nodeCrypto } from "../../../../plugins/relay/node-crypto.ts";
import type { RelayConnection } from "../../../../plugins/relay/peer/connection.ts";
import { routedChannel } from "../../../../plugins/relay/peer/routed-channel.ts";
import { base64url } from "../../../../plugins/relay/protocol/bytes.ts";
import { incomingPayload, readClose } from "../../../../plugins/relay/protocol/payloads.ts";
import type { Bytes } from "../../../../plugins/relay/protocol/primitives.ts";
import { eventually } from "../../../eventually.ts";
import { ask } from "../../host/home.ts";
import { connectTo } from "../relays.ts";
import { type Ground, malicious } from "./ground.ts";
import { type Meddle, type Passing, withData } from "./meddler.ts";

const CANARY = "canary-of-plaintext";
/** The index of the DATA frame to change in a route; 0 is the handshake, and 1 the hello. */
const AT = 2;

type Change = (payload: Bytes, frame: Passing) => readonly Bytes[];

/** Changes one message: that with index `at` of the first route that has so many messages. */
function once(to: "host" | "client", change: Change, at = AT): Meddle {
  let isDone = false;
  return withData("client", to === "host" ? "relay" : "peer", (payload, index, frame) => {
    if (isDone || index !== at) return [payload];
    isDone = true;
    return change(payload, frame);
  });
}

function flipped(payload: Bytes, bit = 0): Bytes {
  const changed = payload.slice();
  changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
  return changed;
}

/** Delays a message until the next one has passed. */
function swapped(to: "host" | "client"): Meddle {
  let kept: Bytes | undefined;
  let isDone = false;
  return withData("client", to === "host" ? "relay" : "peer", (payload, index) => {
    if (isDone) return [payload];
    if (kept) {
      isDone = true;
      return [payload, kept];
    }
    if (index !== AT) return [payload];
    kept = payload;
    return [];
  });
}

/** The texts of a session's messages that the host has stored. */
async function storedTexts({ inside }: Ground, sessionId: string): Promise<string[]> {
  const texts: string[] = [];
  await inside.subscribe(sessionId, ({ event }) => {
    if (event.type !== "message") return;
    const { content } = (event as { message?: unknown }).message as { content: string | { text?: string }[] };
    texts.push(typeof content === "string" ? content : content.map(({ text }) => text).join());
  });
  return texts;
}

const ways: [string, Change][] = [
  ["drops", () => []],
  ["repeats", (payload) => [payload, payload]],
  ["changes", (payload) => [flipped(payload)]],
  ["cuts short", (payload) => [payload.slice(0, -1)]],
  ["makes longer", (payload) => [new Uint8Array([...payload, 0])]],
  ["divides", (payload) => [payload.slice(0, 100), payload.slice(100)]],
  ["puts one of its own before", (payload) => [new Uint8Array(272), payload]],
];
const all = (["host", "client"] as const).flatMap((to) => [
  ...ways.map(([what, change]) => [`${what} a message to the ${to}`, () => once(to, change)] as const),
  ...ways.map(([what, change]) => [`${what} the handshake to the ${to}`, () => once(to, change, 0)] as const),
  [`changes the order of messages to the ${to}`, () => swapped(to)] as const,
]);

describe("a relay between a client and a host that it knows", () => {
  it.each(all)(
    "is detected when it %s: nothing of it counts, and everything arrives once over a new channel",
    async (_, make) => {
      const ground = await malicious();
      ground.meddler.meddle = make();
      const { client, dials } = await ground.connect();
      const { sessionId } = await client.request("create_session", { cwd: ground.cwd });
      const stored = await storedTexts(ground, sessionId);
      const texts = ["one", "two", CANARY];
      for (const text of texts) expect(await ask(client, sessionId, text)).toBe(`echo: ${text}`);
      expect(dials()).toBeGreaterThan(1);
      await eventually(() => expect(stored).toEqual(texts.flatMap((text) => [text, `echo: ${text}`])));
      expect(ground.meddler.seen.includes(CANARY)).toBe(false);
    },
  );
});

/**
 * Sends a text over a new channel of a connection. Resolves with the reason why the channel closed, or with the host's
 * message.
 */
async function channelWith(ground: Ground, connection: RelayConnection, text: string): Promise<string> {
  const route = connection.open(ground.grant);
  return new Promise((resolve) => {
    const channel = routedChannel({
      ...{
        role: "client",
        primitives: nodeCrypto,
        identity: ground.device,
        peer: ground.host.identity.publicKeys,
        route,
      },
      opened: () => channel.send(text),
    });
    channel.open({ message: resolve, closed: (reason) => resolve(reason ?? "it was closed") });
  });
}

const hello = JSON.stringify({ type: "hello", protocol: PROTOCOL, version: "1.0.0", name: "x" });
const many = { frames: { burst: 1e9, perSecond: 1e9 }, bytes: { burst: 1e9, perSecond: 1e9 } };

// Each bit of each message is flipped in test/plugins/relay/hostile.test.ts, without sockets.
describe("a relay that flips", () => {
  it.each([
    ["a bit of any byte of the first message of a client", "host", 1, 272 * 8, 9],
    ["any bit of the handshake of a client", "host", 0, 48 * 8, 1],
    ["any bit of the handshake of a host", "client", 0, 48 * 8, 1],
    ["a bit of any byte of the first message of a host", "client", 1, 272 * 8, 9],
  ] as const)("%s ends the channel", async (_, to, at, bits, step) => {
    const ground = await malicious({ limits: many });
    const { connection } = await connectTo(
      ground.meddler.address,
      { role: "client", identity: ground.device },
      ground.device,
    );
    const ends = new Set<string>();
    const sizes = new Set<number>();
    let bit = 0;
    ground.meddler.meddle = withData("client", to === "host" ? "relay" : "peer", (payload, index) => {
      if (index === at) sizes.add(payload.length * 8);
      return [index === at ? flipped(payload, bit) : payload];
    });
    for (; bit < bits; bit += step) ends.add(await channelWith(ground, connection, hello));
    expect([...sizes]).toEqual([bits]);
    expect([...ends]).toEqual([
      expect.stringContaining(to === "host" ? "could not read a message" : "is not what the other computer sent"),
    ]);
    await eventually(() => expect(ground.host.isConnected(base64url(ground.device.id))).toBe(false));
    if (to === "host") expect(ground.warnings).toEqual([]);
  });
});

describe("a relay with two routes", () => {
  it.each(["host", "client"] as const)(
    "is detected when it moves a message to the %s from one to the other",
    async (to) => {
      const ground = await malicious();
      const from: { route: bigint; payload: Bytes }[] = [];
      ground.meddler.meddle = withData("client", to === "host" ? "relay" : "peer", (payload, index, { route }) => {
        if (index !== AT || from.length === 2) return [payload];
        from.push({ route, payload });
        return [from[0]?.payload as Bytes];
      });
      const [first, second] = [await ground.connect(), await ground.connect()];
      const { sessionId } = await first.client.request("create_session", { cwd: ground.cwd });
      const stored = await storedTexts(ground, sessionId);
      expect(await ask(second.client, sessionId, "one")).toBe("echo: one");
      expect(new Set(from.map(({ route }) => route)).size).toBe(2);
      expect([first.dials(), second.dials()]).toEqual([1, 2]);
      await eventually(() => expect(stored).toEqual(["one", "echo: one"]));
    },
  );
});

describe("a relay with an earlier session", () => {
  it("gets nothing from a host by replaying all messages of a client", async () => {
    const ground = await malicious();
    const said: Bytes[] = [];
    let route = 0n;
    ground.meddler.meddle = withData("client", "relay", (payload, _index, frame) => {
      route = frame.route;
      said.push(payload);
      return [payload];
    });
    const { client } = await ground.connect();
    const { sessionId } = await client.request("create_session", { cwd: ground.cwd });
    expect(await ask(client, sessionId, "one")).toBe("echo: one");
    const stored = await storedTexts(ground, sessionId);
    const answers: Passing[] = [];
    ground.meddler.meddle = (frame) => {
      if (frame.route === route && frame.peer.role === "host" && frame.to === "relay") answers.push(frame);
      return [frame.bytes];
    };
    await client.close();
    await eventually(() => expect(ground.host.isConnected(base64url(ground.device.id))).toBe(false));
    await eventually(() => expect(answers.at(-1)?.type).toBe("close"));
    answers.length = 0;

    const host = ground.meddler.last("host");
    host.give("incoming", route, incomingPayload(ground.device.publicKeys));
    for (const payload of said) host.give("data", route, payload);
    await eventually(() => expect(answers.map(({ type }) => type)).toEqual(["data", "close"]));
    expect(readClose(answers[1]?.payload as Bytes)).toBe("failed");
    expect(await ask(ground.inside, sessionId, "two")).toBe("echo: two");
    expect(stored.filter((text) => text === "one")).toEqual([]);
  });

  it("gets nothing from a client by replaying all messages of a host", async () => {
    const ground = await malicious();
    const said: Bytes[] = [];
    ground.meddler.meddle = withData("client", "peer", (payload) => {
      said.push(payload);
      return [payload];
    });
    await (await ground.connect()).client.close();
    const replayed = said.splice(0);
    ground.meddler.meddle = withData("client", "peer", (_, index) => (index === 0 ? replayed : []));
    await expect(dialPaired(new URL(pairedAddress("desk")))).rejects.toMatchObject({ code: "RELAY_CHANNEL" });
  });
});
