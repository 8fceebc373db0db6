import { describe, expect, it } from "vitest";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { createIdentity } from "../../../plugins/relay/protocol/identity.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";
import { client, type End, host, link, type Meddling, settle } from "./ends.ts";

/** The index of the client's first message after the handshake. */
const FIRST = 1;

/** A channel on which the client sends three texts one after another, and the relay changes its messages. */
async function threeTexts(toHost: Meddling, more: Parameters<typeof link>[0] = {}) {
  const ends = link({ ...more, toHost });
  await settle(5);
  for (const text of ["one", "two", "three"]) {
    ends.client.channel.send(text);
    await settle(3);
  }
  return ends;
}

/** Checks that the end closed with the reason "failed", and received only the texts before. */
function expectFailed({ closed, texts }: End, before: string[] = []): void {
  expect({ texts, told: closed?.told, reason: closed?.reason }).toEqual({
    texts: before,
    told: "failed",
    reason: expect.stringContaining("is not what the other computer sent"),
  });
}

const only =
  (at: number, change: Meddling): Meddling =>
  (bytes, index) =>
    index === at ? change(bytes, index) : [bytes];

describe("a relay that changes messages", () => {
  it.each<[string, Meddling, string[]]>([
    ["drops one", only(FIRST, () => []), []],
    ["drops a later one", only(FIRST + 1, () => []), ["one"]],
    ["repeats one", only(FIRST, (bytes) => [bytes, bytes]), ["one"]],
    ["cuts one short", only(FIRST, (bytes) => [bytes.slice(0, -1)]), []],
    ["empties one", only(FIRST, () => [new Uint8Array(0)]), []],
    ["makes one longer", only(FIRST, (bytes) => [new Uint8Array([...bytes, 0])]), []],
    ["adds one of its own", only(FIRST, (bytes) => [new Uint8Array(272), bytes]), []],
    ["divides one", only(FIRST, (bytes) => [bytes.slice(0, 100), bytes.slice(100)]), []],
    ["repeats the handshake", only(0, (bytes) => [bytes, bytes]), []],
  ])("is detected when it %s", async (_what, meddling, before) => {
    expectFailed((await threeTexts(meddling)).host, before);
  });

  it("is detected when it changes the order", async () => {
    let kept: Bytes | undefined;
    const { host } = await threeTexts((bytes, index) => {
      if (index !== FIRST) return kept && index === FIRST + 1 ? [bytes, kept] : [bytes];
      kept = bytes;
      return [];
    });
    expectFailed(host);
  });

  it("is detected whichever bit of a message it flips", async () => {
    const size = 272 * 8;
    for (let bit = 0; bit < size; bit++) {
      const { host } = await oneText(flipping(FIRST, bit));
      expectFailed(host);
    }
  });

  it("is detected whichever bit of the handshake it flips", async () => {
    for (let bit = 0; bit < 48 * 8; bit++) {
      const toHost = await oneText(flipping(0, bit));
      // The top bit of an X25519 key is ignored, but the hash includes it.
      expectFailed(toHost.host);
      const toClient = link({ toClient: flipping(0, bit) });
      await settle(3);
      expectFailed(toClient.client);
    }
  });

  it("is detected when it answers with messages of the other direction", async () => {
    const ends = link({ toHost: (bytes) => [bytes] });
    await settle(5);
    ends.client.channel.send("one");
    await settle(3);
    ends.client.channel.receive(ends.client.sent[FIRST] as Bytes);
    await settle(3);
    expectFailed(ends.client);
  });

  it("cannot end a channel without the user being told that it was cut", async () => {
    const { host } = await threeTexts((bytes) => [bytes]);
    host.channel.ended("the route was closed");
    await settle(3);
    expect(host.closed).toEqual({ reason: "the route was closed", told: undefined });
  });
});

describe("a relay with an earlier session", () => {
  it("gets nothing from a host by replaying a client's messages, not even on a route of the same number", async () => {
    const recorded = (await threeTexts((bytes) => [bytes])).client.sent;
    const ends = link({ toHost: () => [] });
    for (const bytes of recorded) ends.host.channel.receive(bytes);
    await settle(5);
    expectFailed(ends.host);
  });

  it("gets nothing from a client by replaying a host's messages", async () => {
    const recorded = await threeTexts((bytes) => [bytes]);
    const ends = link({ toHost: () => [] });
    await settle(3);
    for (const bytes of recorded.host.sent) ends.client.channel.receive(bytes);
    await settle(5);
    expectFailed(ends.client);
  });

  it("is detected when it repeats a message from before a new key", async () => {
    let first: Bytes | undefined;
    const { host } = await threeTexts(
      (bytes, index) => {
        if (index === FIRST) first = bytes;
        return index === FIRST + 2 ? [first as Bytes] : [bytes];
      },
      { maxKeyMessages: 1 },
    );
    expectFailed(host, ["one", "two"]);
  });
});

describe("a relay that joins routes", () => {
  it("is detected when it moves a handshake to another route", async () => {
    const { host } = link({ route: [1n, 2n] });
    await settle(5);
    expectFailed(host);
  });

  it("is detected when it moves a message to another route of the same two ends", async () => {
    const [first, second] = [link({ toHost: only(FIRST, () => []) }), link({ route: 2n })];
    await settle(5);
    first.client.channel.send("for the first route");
    await settle(3);
    second.host.channel.receive(first.client.sent[FIRST] as Bytes);
    await settle(3);
    expectFailed(second.host);
  });
});

describe("a relay that takes the place of an end", () => {
  it("is refused as a client", async () => {
    const stranger = await createIdentity(nodeCrypto);
    const ends = link({ client: stranger, known: { client: client.publicKeys } });
    await settle(5);
    expectFailed(ends.host);
  });

  it("is refused as a host", async () => {
    const stranger = await createIdentity(nodeCrypto);
    const ends = link({ host: stranger, known: { host: host.publicKeys } });
    await settle(5);
    expectFailed(ends.host);
    const answering = link({ toHost: () => [] });
    await settle(3);
    answering.client.channel.receive(nodeCrypto.random(48));
    await settle(3);
    expectFailed(answering.client);
  });

  it("is refused with a key that signs as the client, but agrees as somebody else", async () => {
    const stranger = await createIdentity(nodeCrypto);
    const mixed = { signing: client.publicKeys.signing, agreement: stranger.publicKeys.agreement };
    const ends = link({ client: { ...stranger, publicKeys: mixed }, known: { client: client.publicKeys } });
    await settle(5);
    expectFailed(ends.host);
  });
});

/** A channel on which the client sends one text at once. */
async function oneText(toHost: Meddling) {
  const ends = link({ toHost });
  ends.client.channel.send("one");
  await settle(3);
  return ends;
}

function flipping(message: number, bit: number): Meddling {
  return only(message, (bytes) => {
    const changed = bytes.slice();
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    return [changed];
  });
}
