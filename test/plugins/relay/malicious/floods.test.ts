import { connectHost } from "@scorel/host/client";
import { describe, expect, it } from "vitest";
import { dialPaired, pairedAddress } from "../../../../plugins/relay/client/dial.ts";
import { nodeCrypto } from "../../../../plugins/relay/node-crypto.ts";
import { base64url, uint64At } from "../../../../plugins/relay/protocol/bytes.ts";
import { HEADER_BYTES } from "../../../../plugins/relay/protocol/frames.ts";
import { createIdentity } from "../../../../plugins/relay/protocol/identity.ts";
import { incomingPayload, readClose } from "../../../../plugins/relay/protocol/payloads.ts";
import { eventually } from "../../../eventually.ts";
import { fc, seed } from "../../../property.ts";
import { connectTo } from "../relays.ts";
import { type Ground, malicious } from "./ground.ts";

/** Counts the forged routes that ended, by reason, and the answers of the host to them. */
function watching(ground: Ground) {
  const seen = { answers: 0, ends: {} as Record<string, number> };
  ground.meddler.meddle = ({ type, peer, to, payload, bytes }) => {
    if (peer.role !== "host" || to !== "relay") return [bytes];
    if (type === "data") seen.answers++;
    else if (type === "close") seen.ends[readClose(payload)] = (seen.ends[readClose(payload)] ?? 0) + 1;
    return [bytes];
  };
  return seen;
}

describe("a device that opens channel after channel", () => {
  it("may have 32 of them, and the next one is refused until one has ended", async () => {
    await malicious({ limits: { socketsOfIdentity: 100 } });
    const dial = () => dialPaired(new URL(pairedAddress("desk")));
    const open = () => connectHost({ dial, version: "1.0.0", reconnect: false });
    const clients = await Promise.all(Array.from({ length: 32 }, open));
    await expect(open()).rejects.toMatchObject({ code: "GATEWAY_FULL", data: { max: 32, of: "this device" } });
    await clients[0]?.close();
    await eventually(async () => {
      clients.push(await open());
    });
    await Promise.all(clients.map((client) => client.close()));
  });
});

describe("a relay that floods a host", () => {
  it("can open 64 channels of unproven devices, which leave room for other clients, and end after 5 s", async () => {
    const ground = await malicious();
    const seen = watching(ground);
    const host = ground.meddler.last("host");
    for (let route = 1n; route <= 300n; route++)
      host.give("incoming", route, incomingPayload(ground.device.publicKeys));
    await eventually(() => expect(seen.ends).toEqual({ limit: 236 }));
    expect(ground.host.isConnected(base64url(ground.device.id))).toBe(false);
    expect(ground.warnings).toEqual([]);
    await eventually(() => expect(seen.ends).toEqual({ limit: 236, done: 64 }));
    await (await ground.connect()).client.close();
  });

  it("can open as many routes of guests as a host accepts, and no number twice", async () => {
    const ground = await malicious();
    const seen = watching(ground);
    ground.joined = () => {};
    const host = ground.meddler.last("host");
    const place = new TextEncoder().encode("7Q2");
    for (let route = 1n; route <= 1_100n; route++) host.give("joined", route, place);
    await eventually(() => expect(seen.ends).toEqual({ limit: 76 }));
    host.give("joined", 1n, place);
    await eventually(() => expect(ground.warnings.join()).toContain("a route was opened twice"));
    await (await ground.connect()).client.close();
  });

  it("gets one signature for a connection", async () => {
    const ground = await malicious();
    ground.meddler.last("host").give("challenge", 0n, nodeCrypto.random(32));
    await eventually(() => expect(ground.warnings.join()).toContain("a second challenge came"));
  });
});

describe("a relay that sends nonsense", () => {
  it("ends the connection or is ignored, and the host reconnects", { timeout: 110_000 }, async () => {
    const ground = await malicious();
    const message = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      // Frames with a valid header.
      fc.tuple(fc.integer({ min: 0, max: 0x40 }), fc.uint8Array({ maxLength: 256 })).map(([type, payload]) => {
        const bytes = new Uint8Array(HEADER_BYTES + payload.length);
        bytes[0] = type;
        bytes[8] = payload.length & 1;
        new DataView(bytes.buffer).setUint32(9, payload.length);
        bytes.set(payload, HEADER_BYTES);
        return bytes;
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 20 }), async (messages) => {
        const identity = await createIdentity(nodeCrypto);
        const peer = await connectTo(ground.meddler.address, { role: "host", identity }, identity);
        for (const bytes of messages) ground.meddler.last("host").toPeer(bytes as Uint8Array<ArrayBuffer>);
        peer.connection.close();
        expect(await peer.closed.next()).toBeDefined();
      }),
      { seed, numRuns: 300 },
    );
    await (await ground.connect()).client.close();
  });
});

describe("a relay that swallows", () => {
  it("data but otherwise answers keeps no connection of a client", { timeout: 30_000 }, async () => {
    const ground = await malicious();
    ground.meddler.meddle = ({ type, bytes }) => (type === "data" || type === "close" ? [] : [bytes]);
    await expect(dialPaired(new URL(pairedAddress("desk")))).rejects.toMatchObject({ code: "RELAY_SILENT" });
    await eventually(() => expect(ground.relay.relay.counts.clients).toBe(0));
  });
});

it("a host whose clock is set back still counts as newer than its last connection", async () => {
  const ground = await malicious();
  const before = Date.now;
  Date.now = () => before() - 3_600_000;
  try {
    ground.meddler.last("host").end();
    await eventually(() => expect(ground.meddler.peers.filter(({ role }) => role === "host").length).toBe(2));
    const generations = ground.meddler.peers.flatMap(({ seen }) =>
      seen.filter(([type]) => type === 2).map((frame) => uint64At(frame, HEADER_BYTES + 1)),
    );
    expect(generations[1]).toBeGreaterThan(generations[0] as bigint);
  } finally {
    Date.now = before;
  }
  await (await ground.connect()).client.close();
});
