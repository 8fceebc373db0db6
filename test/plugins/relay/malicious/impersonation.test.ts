import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { dialPaired, pairedAddress } from "../../../../plugins/relay/client/dial.ts";
import { nodeCrypto } from "../../../../plugins/relay/node-crypto.ts";
import { base64url } from "../../../../plugins/relay/protocol/bytes.ts";
import { encodeFrame, HEADER_BYTES } from "../../../../plugins/relay/protocol/frames.ts";
import { createIdentity, type Identity, type PublicKeys } from "../../../../plugins/relay/protocol/identity.ts";
import { closePayload, incomingPayload, readClose, SUBPROTOCOL } from "../../../../plugins/relay/protocol/payloads.ts";
import type { Bytes } from "../../../../plugins/relay/protocol/primitives.ts";
import { SecureChannel } from "../../../../plugins/relay/protocol/secure-channel.ts";
import { eventually } from "../../../eventually.ts";
import { malicious } from "./ground.ts";
import type { Meddled } from "./meddler.ts";

/** An identity with a peer's public keys but other private keys. */
async function pretending(publicKeys: PublicKeys, id: Bytes): Promise<Identity> {
  const own = await createIdentity(nodeCrypto);
  const agree = (other: Bytes) => own.agreement.agree(other);
  return { signing: own.signing, agreement: { publicKey: publicKeys.agreement, agree }, publicKeys, id };
}

/** The end of a channel that the relay itself plays, towards one of its peers. */
function played(
  peer: Meddled,
  route: bigint,
  options: { role: "client" | "host"; identity: Identity; peer: PublicKeys },
) {
  const told: string[] = [];
  const channel = new SecureChannel({
    ...{ primitives: nodeCrypto, now: () => performance.now(), ...options },
    route: {
      id: route,
      send: (bytes) => peer.give("data", route, bytes),
      close: (reason) => peer.give("close", route, closePayload(reason)),
    },
  });
  channel.open({ message: (text) => void told.push(text), closed: () => {} });
  return { channel, told };
}

describe("a relay that takes the place of a host", () => {
  it.each(["computes an answer", "answers anything of the right length", "closes the route as the host would"])(
    "is refused by the client when it %s",
    async (what) => {
      const ground = await malicious();
      const { identity } = ground.host;
      const fake = await pretending(identity.publicKeys, identity.id);
      let heard: string[] = [];
      let channel: SecureChannel | undefined;
      ground.meddler.meddle = ({ type, route, payload, peer, to, bytes }) => {
        if (peer.role !== "client" || to !== "relay" || !["open", "data", "close"].includes(type)) return [bytes];
        if (type === "open" && what.startsWith("computes"))
          ({ channel, told: heard } = played(peer, route, {
            ...{ role: "host", identity: fake, peer: ground.device.publicKeys },
          }));
        else if (type === "data" && channel) channel.receive(payload);
        else if (type === "data" && what.startsWith("answers")) peer.give("data", route, nodeCrypto.random(48));
        else if (type === "data") peer.give("close", route, closePayload("done"));
        return [];
      };
      await expect(dialPaired(new URL(pairedAddress("desk")))).rejects.toMatchObject({ code: "RELAY_CHANNEL" });
      expect(heard).toEqual([]);
    },
  );
});

describe("a relay that takes the place of a client", () => {
  it("is refused by the host, which tells it nothing", async () => {
    const ground = await malicious();
    const { device } = ground;
    const fake = await pretending(device.publicKeys, device.id);
    const host = ground.meddler.last("host");
    const [route, ends] = [7n, [] as string[]];
    let channel: SecureChannel | undefined;
    ground.meddler.meddle = (frame) => {
      if (frame.route !== route) return [frame.bytes];
      if (frame.type === "data") channel?.receive(frame.payload);
      else ends.push(readClose(frame.payload));
      return [];
    };
    host.give("incoming", route, incomingPayload(device.publicKeys));
    const end = played(host, route, { role: "client", identity: fake, peer: ground.host.identity.publicKeys });
    channel = end.channel;
    channel.send(JSON.stringify({ type: "hello", version: "1.0.0" }));
    await eventually(() => expect(ends).toEqual(["failed"]));
    expect(end.told).toEqual([]);
    expect(ground.host.isConnected(base64url(device.id))).toBe(false);
  });

  it("is refused with the keys of a client that the host has not paired", async () => {
    const ground = await malicious();
    const stranger = await createIdentity(nodeCrypto);
    const ends: string[] = [];
    ground.meddler.meddle = ({ type, payload, bytes }) => {
      if (type === "close") ends.push(readClose(payload));
      return [bytes];
    };
    ground.meddler.last("host").give("incoming", 7n, incomingPayload(stranger.publicKeys));
    await eventually(() => expect(ends).toEqual(["refused"]));
  });
});

/**
 * Connects to the relay, answers its challenge with these frames, and resolves with the code with which the connection
 * is closed.
 */
function saying(
  address: string,
  hello: (nonce: Bytes) => readonly Bytes[] | Promise<readonly Bytes[]>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address, SUBPROTOCOL, { perMessageDeflate: false });
    socket.once("message", async (challenge: Buffer) => {
      const nonce = new Uint8Array(challenge.subarray(HEADER_BYTES));
      for (const frame of await hello(nonce)) socket.send(frame);
    });
    socket.on("close", resolve).on("error", reject);
  });
}

describe("who has heard a host's hello", () => {
  it.each<[string, (hello: Bytes) => readonly Bytes[]]>([
    ["says it again", (hello) => [hello]],
    ["says it as a client", (hello) => [changed(hello, HEADER_BYTES, 2)]],
    ["says it with a later generation", (hello) => [changed(hello, HEADER_BYTES + 1, 0xff)]],
    ["says it with another key", (hello) => [changed(hello, HEADER_BYTES + 9, 0)]],
    ["says it with another key to agree", (hello) => [changed(hello, HEADER_BYTES + 41, 0)]],
  ])("gets nothing when it %s, and the host stays connected", async (_, frames) => {
    const ground = await malicious();
    const hello = ground.meddler.last("host").seen.find((frame) => frame[0] === 2) as Bytes;
    expect(await saying(ground.relay.address, () => frames(hello))).toBe(4002);
    expect(ground.relay.relay.counts).toMatchObject({ hosts: 1, clients: 0 });
    await (await ground.connect()).client.close();
  });

  it("gets nothing by having the host sign another relay's challenge", async () => {
    const ground = await malicious();
    const other = await malicious();
    const answered = (nonce: Bytes) =>
      new Promise<readonly Bytes[]>((resolve) => {
        ground.meddler.meddle = (frame) => {
          if (frame.type === "challenge") return [encodeFrame("challenge", 0n, nonce)];
          if (frame.type === "hello") resolve([frame.bytes]);
          return [frame.bytes];
        };
        // The host reconnects at once, and gets the challenge of the other relay.
        ground.meddler.last("host").end();
      });
    expect(await saying(other.relay.address, answered)).toBe(4002);
    expect(other.relay.relay.counts).toMatchObject({ hosts: 1 });
  });
});

function changed(bytes: Bytes, at: number, value: number): Bytes {
  const copy = bytes.slice();
  copy[at] = copy[at] === value ? value ^ 1 : value;
  return copy;
}
