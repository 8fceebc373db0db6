import { describe, expect, it } from "vitest";
import { pairWith } from "../../../../plugins/relay/client/pair.ts";
import { hostRecord } from "../../../../plugins/relay/host/devices.ts";
import { Pairing } from "../../../../plugins/relay/host/pairing-host.ts";
import { groupOf } from "../../../../plugins/relay/host/relay-groups.ts";
import { nodeCrypto } from "../../../../plugins/relay/node-crypto.ts";
import { type PairingCode, parseCode } from "../../../../plugins/relay/protocol/code.ts";
import { ristretto255 } from "../../../../plugins/relay/protocol/group.ts";
import { createIdentity, fingerprint } from "../../../../plugins/relay/protocol/identity.ts";
import { type HostRun, PairingOffer } from "../../../../plugins/relay/protocol/pairing.ts";
import { GuestRun } from "../../../../plugins/relay/protocol/pairing-guest.ts";
import { closePayload } from "../../../../plugins/relay/protocol/payloads.ts";
import { eventually } from "../../../eventually.ts";
import { listen, startRelay } from "../relays.ts";
import { type Ground, malicious } from "./ground.ts";
import { type Meddle, withData } from "./meddler.ts";

/** Makes the host offer a pairing code through the meddler. */
async function offered(ground: Ground): Promise<Pairing> {
  const connection = await ground.host.enter(groupOf([ground.meddler.address]));
  const { place } = await connection.offer();
  const pairing = new Pairing(connection, place, { identity: ground.host.identity, name: "desk" });
  ground.joined = (route) => pairing.join(route);
  return pairing;
}

function typed(ground: Ground, code: string, relay = ground.meddler.address) {
  return pairWith({ code, relays: [relay], name: "laptop", confirmed: () => {} });
}

/** A relay that pairs with both sides itself, with its own keys and a guessed code. */
async function between(guess: PairingCode): Promise<{ meddle: Meddle; fingerprint: string }> {
  const identity = await createIdentity(nodeCrypto);
  const options = { primitives: nodeCrypto, code: guess, identity, name: "laptop", now: () => performance.now() };
  let asHost: HostRun | undefined;
  let asGuest: GuestRun | undefined;
  const meddle: Meddle = ({ type, peer, to, route, payload, bytes }) => {
    if (type !== "data" || peer.role !== "guest") return [bytes];
    if (to === "relay") {
      if (!asHost) {
        asHost = new PairingOffer(options).join(route);
        asGuest = new GuestRun({ ...options, route });
        void asGuest.begin().then((share) => peer.pass("data", route, share));
      }
      asHost.receive(payload).then(
        ({ reply }) => peer.give("data", route, reply),
        () => peer.give("close", route, closePayload("refused")),
      );
    } else
      asGuest?.receive(payload).then(
        (step) => "reply" in step && peer.pass("data", route, step.reply),
        () => {},
      );
    return [];
  };
  return { meddle, fingerprint: fingerprint(identity.id) };
}

describe("a relay in the middle of pairing", () => {
  it("is refused by both when it inserts its own keys with a guessed code, which uses up one of five tries", async () => {
    const ground = await malicious();
    const before = hostRecord().devices;
    const pairing = await offered(ground);
    const code = parseCode(pairing.code);
    const { meddle } = await between({ ...code, secret: code.secret === "00000000" ? "00000001" : "00000000" });
    ground.meddler.meddle = meddle;
    await expect(typed(ground, pairing.code)).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
    expect(pairing.state).toEqual({ state: "waiting" });
    expect(hostRecord().devices).toEqual(before);
  });

  it("would be noticed by its fingerprint even if it had guessed the code", async () => {
    const ground = await malicious();
    const pairing = await offered(ground);
    const { meddle, fingerprint } = await between(parseCode(pairing.code));
    ground.meddler.meddle = meddle;
    const guest = typed(ground, pairing.code);
    guest.catch(() => {});
    await eventually(() => expect(pairing.state).toMatchObject({ state: "asked", device: { fingerprint } }));
    await pairing.answer(false, []);
  });

  it.each([
    ["the guest's share", "relay", 0],
    ["the guest's confirmation and keys", "relay", 1],
    ["the host's share", "peer", 0],
    ["the host's confirmation", "peer", 1],
    ["the host's keys and grant", "peer", 2],
  ] as const)("causes no pairing by changing %s", async (_, to, at) => {
    const ground = await malicious();
    const pairing = await offered(ground);
    ground.meddler.meddle = withData("guest", to, (payload, index) => {
      const changed = payload.slice();
      changed[payload.length >> 1] = (changed[payload.length >> 1] as number) ^ 1;
      return [index === at ? changed : payload];
    });
    const answering = pairing.follow("waiting").then((state) => {
      if (state.state === "asked") return pairing.answer(true, ["view"]);
    });
    if (at < 2) answering.catch(() => {});
    await expect(typed(ground, pairing.code)).rejects.toMatchObject({
      code: expect.stringMatching(/^RELAY_(CODE_WRONG|PAIR_MESSAGE)$/),
    });
    pairing.end("the test ends");
  });

  it("learns nothing of a code, a key that seals, or what is sealed", async () => {
    const ground = await malicious();
    const pairing = await offered(ground);
    const answering = pairing.follow("waiting").then(() => pairing.answer(true, ["view"]));
    const host = await typed(ground, pairing.code);
    await answering;
    const { secret } = parseCode(pairing.code);
    expect(host.name).toMatch(/^desk/);
    for (const canary of [secret, "laptop", "desk", host.grant, Buffer.from(host.grant, "base64url")])
      expect(ground.meddler.seen.includes(canary)).toBe(false);
  });
});

describe("10,000 wrong codes", () => {
  it("let nobody in, although no limit of a relay holds them back and no place is withdrawn: the host counts five", async () => {
    const free = { burst: 1e9, perSecond: 1e9 };
    const ground = await malicious({
      limits: {
        ...{ joins: free, joinsOfAddress: free, joinsOfPlace: 1e9, frames: free, bytes: free },
        routes: { client: 64, host: 1_024, guest: 100 },
      },
    });
    const pairing = await offered(ground);
    let replies = 0;
    ground.meddler.meddle = ({ type, peer, to, bytes }) => {
      if (type === "data" && peer.role === "host" && to === "relay") replies++;
      return type === "withdraw" ? [] : [bytes];
    };
    const { connection } = await ground.relay.guest();
    const group = await ristretto255();
    const share = group.multiply(group.sampleScalar(nodeCrypto), group.deriveElement(nodeCrypto.random(64)));
    const guess = async () => {
      const route = connection.join(pairing.place);
      const ends = listen(route);
      route.send(share);
      // After the host's share, the attacker sends a wrong confirmation.
      void ends.texts.next().then(() => route.send(new Uint8Array(300)));
      return ends.closed.next();
    };
    const ends = new Set<string>();
    for (let n = 0; n < 100; n++)
      for (const end of await Promise.all(Array.from({ length: 100 }, guess))) ends.add(end);
    expect([...ends]).toEqual(["refused"]);
    expect(replies).toBe(5);
    expect(pairing.state).toEqual({ state: "ended", reason: "it was tried 5 times" });
    await expect(typed(ground, pairing.code)).rejects.toMatchObject({ code: "RELAY_CODE_WRONG" });
  });

  it("reach no host through an honest relay after the first of a minute, and a host's place is gone after five", async () => {
    const relay = await startRelay();
    const host = await relay.host();
    const { place } = await host.connection.offer();
    const { connection } = await relay.guest();
    const ends: Record<string, number> = {};
    for (let n = 0; n < 10_000; n++) {
      const route = connection.join(place);
      if (n < 5) (await host.routes.next()).close("refused");
      const end = await listen(route).closed.next();
      ends[end] = (ends[end] ?? 0) + 1;
    }
    expect(ends.refused).toBe(5);
    // On a slow machine an address gets more tries: ten a minute.
    expect(ends.limit).toBeGreaterThan(9_900);
    expect(host.routes.all.length).toBe(5);
  });
});
