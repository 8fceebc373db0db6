import { createServer } from "node:net";
import { connectHost } from "@scorel/host/client";
import type { Client } from "@scorel/host/contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { Gateway } from "../../../plugins/gateway/gateway.ts";
import { dialPaired, reachable } from "../../../plugins/relay/client/dial.ts";
import { keepHost, pairedHosts } from "../../../plugins/relay/client/hosts.ts";
import { addDevice, hostRecord } from "../../../plugins/relay/host/devices.ts";
import { homeIdentity } from "../../../plugins/relay/host/identity.ts";
import { groupOf, keepGroup, relayGroups } from "../../../plugins/relay/host/relay-groups.ts";
import { RelayedHost } from "../../../plugins/relay/host/relayed-host.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { dialHost } from "../../../plugins/relay/peer/dial.ts";
import { takenFrom } from "../../../plugins/relay/peer/known-relays.ts";
import { nodeSocket } from "../../../plugins/relay/peer/node-socket.ts";
import { addressesIn, addressesPayload } from "../../../plugins/relay/protocol/addresses.ts";
import { base64url } from "../../../plugins/relay/protocol/bytes.ts";
import { createIdentity, joinKeys } from "../../../plugins/relay/protocol/identity.ts";
import { InProcessHub } from "../../../plugins/relay/server/bus/in-process.ts";
import { eventually } from "../../eventually.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";
import { grantFor, startRelay, type TestRelay } from "./relays.ts";

/** The address of a server that accepts connections and sends nothing. */
async function silent(): Promise<string> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `ws://127.0.0.1:${(server.address() as { port: number }).port}/relay`;
}

const DEAD = "ws://127.0.0.1:1/relay";
const portOf = ({ address }: TestRelay) => Number(new URL(address).port);

/** A host at one of these relays, and this home as a paired device that knows only the first relay. */
async function paired(relays: readonly string[], { returnMs = 60_000 } = {}) {
  const home = testHome();
  const [identity, device] = [await createIdentity(nodeCrypto), await homeIdentity()];
  const t = await testHost([echoAgent]);
  const logger = { info: () => {}, warn: () => {} };
  const gateway = new Gateway({ host: t.host, version: "1.0.0", logger });
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const host = new RelayedHost({ gateway, identity, joined: () => {}, warn, returnMs });
  onTestFinished(async () => {
    host.end();
    await gateway.dismiss("the test ends", false);
    await t.kernel.stop();
    home[Symbol.dispose]();
  });
  await host.enter(groupOf(relays));
  const scopes = ["view", "prompt", "approve"] as const;
  await addDevice(device.publicKeys, { id: base64url(device.id), name: "laptop", scopes: [...scopes], serial: "1" });
  const kept = await keepHost({
    ...{ id: base64url(identity.id), keys: base64url(joinKeys(identity.publicKeys)), name: "desk", pairedAt: 1 },
    ...{ relay: relays[0] as string, grant: base64url(await grantFor(identity, device)), scopes: [...scopes] },
  });
  const connect = async () => {
    const client = await connectHost({ dial: () => dialPaired(new URL(`relay:${kept.id}`)), version: "1.0.0" });
    onTestFinished(() => client.close());
    return client;
  };
  const options = { host: reachable(kept), identity: device, primitives: nodeCrypto, make: nodeSocket };
  const at = () => host.relays.find(({ state }) => state === "connected")?.address;
  return { host, connect, options, at, warnings, cwd: home.cwd, inside: t.client };
}

async function twoRelays() {
  const hub = new InProcessHub();
  const [a, b] = [await startRelay({}, { bus: hub.join() }), await startRelay({}, { bus: hub.join() })];
  return { a, b, again: (relay: TestRelay) => startRelay({}, { bus: hub.join(), port: portOf(relay) }) };
}

describe("a host with several relays", () => {
  it("is reached through the other one when the one in use has ended, and nothing is lost", async () => {
    const { a, b } = await twoRelays();
    const t = await paired([a.address, b.address]);
    const client = await t.connect();
    const { sessionId } = await t.inside.request("create_session", { cwd: t.cwd });
    const hear = async (by: Client) => {
      const heard: string[] = [];
      await by.subscribe(sessionId, ({ event }) => void ("id" in event && heard.push(event.id)));
      return heard;
    };
    const [there, here] = [await hear(client), await hear(t.inside)];
    const say = async (content: string) => {
      const { id } = await client.request("send_message", { sessionId, content });
      await client.request("wait_turn", { sessionId, id });
    };
    await say("first");
    await eventually(() => expect(pairedHosts()[0]?.told).toEqual([a.address, b.address]));
    await a.close();
    await say("second");
    expect(t.at()).toBe(b.address);
    await eventually(() => expect(there).toEqual(here));
    expect(new Set(there).size).toBe(there.length);
  });

  it("returns to the first one when it is back, but not while a device uses the other", async () => {
    const { a, b, again } = await twoRelays();
    const t = await paired([a.address, b.address], { returnMs: 100 });
    await (await t.connect()).close();
    await a.close();
    await eventually(() => expect(t.at()).toBe(b.address));
    const client = await t.connect();
    const states: string[] = [];
    client.onState(({ state }) => states.push(state));
    await again(a);
    // Longer than the time after which the host tries the first relay again.
    for (const until = performance.now() + 300; performance.now() < until; ) await client.request("list_sessions", {});
    expect([t.at(), states.filter((state) => state !== "live")]).toEqual([b.address, []]);
    await client.close();
    await eventually(() => expect(t.at()).toBe(a.address));
    const next = await t.connect();
    await next.request("list_sessions", {});
    expect(t.at()).toBe(a.address);
  });

  it("says of each relay why it is not connected, and is not entered if none is", async () => {
    const hung = await silent();
    using _home = testHome();
    const identity = await createIdentity(nodeCrypto);
    const host = new RelayedHost({ gateway: { accept: () => {} }, identity, joined: () => {}, warn: () => {} });
    const failing = host.enter(groupOf([DEAD, hung])).catch((thrown) => thrown);
    const { code, message } = await failing;
    expect(code).toBe("RELAY_HOST_APART");
    expect(message).toMatch(/127\.0\.0\.1:1\/relay \(.*ECONNREFUSED.*\); ws:\S+ \(it did not answer in time\)\./);
    expect(host.hasRelays).toBe(false);
    expect(hostRecord().relays).toEqual([]);
  });

  it("tells a connected device of a changed list by making it reconnect", async () => {
    const { a, b } = await twoRelays();
    const t = await paired([a.address]);
    const client = await t.connect();
    expect(pairedHosts()[0]?.told).toBeUndefined();
    await t.host.enter(groupOf([b.address, a.address]));
    await client.request("list_sessions", {});
    await eventually(() => expect(pairedHosts()[0]?.told).toEqual([b.address, a.address]));
    await t.host.leave(a.address);
    await client.request("list_sessions", {});
    await eventually(() => expect(pairedHosts()[0]?.told).toEqual([b.address]));
    expect(hostRecord().relays).toEqual([[b.address]]);
  });
});

describe("a device that knows several relays", () => {
  it("passes over one that is gone, and does not wait long for one that is silent", async () => {
    const { a } = await twoRelays();
    const { options } = await paired([a.address]);
    const through = (...relays: string[]) => dialHost({ ...options, aloneMs: 50, host: { ...options.host, relays } });
    (await through(DEAD, a.address)).close();
    (await through(await silent(), a.address)).close();
  });

  it("is told of each of them why it leads nowhere", async () => {
    const { a } = await twoRelays();
    const other = await startRelay();
    const { options } = await paired([a.address]);
    const relays = [DEAD, other.address];
    const failing = dialHost({ ...options, host: { ...options.host, relays } });
    await expect(failing).rejects.toMatchObject({
      code: "RELAY_ALL",
      message: expect.stringMatching(
        /^No relay leads to the host "desk"\. Tried: .*ECONNREFUSED.*; .* \(the host is not connected with it\)\./,
      ),
    });
  });

  it("does not reconnect if one of them says that it was revoked", async () => {
    const { a } = await twoRelays();
    const { options } = await paired([a.address]);
    const stranger = await createIdentity(nodeCrypto);
    const failing = dialHost({ ...options, identity: stranger, host: { ...options.host, relays: [DEAD, a.address] } });
    await expect(failing).rejects.toMatchObject({ code: "RELAY_NOT_PAIRED", fatal: true });
  });

  it.each([
    [
      "all, if it came through TLS",
      ["wss://one.example/relay"],
      ["wss://two.example/relay"],
      ["wss://two.example/relay"],
    ],
    ["no address of the host's own computer", ["wss://one.example/relay"], ["ws://127.0.0.1:7800/relay"], undefined],
    ["nothing without TLS", ["wss://one.example/relay"], ["ws://two.example/relay"], undefined],
    ["what its user has agreed to", ["ws://one.example/relay"], ["ws://two.example/relay"], ["ws://two.example/relay"]],
    [
      "nothing that is no address",
      ["wss://one.example/relay"],
      ["javascript:1", "wss://a@b/relay", "x\u001b"],
      undefined,
    ],
  ])("takes of what a host tells %s", (_what, [relay], told, taken) => {
    expect(takenFrom({ relay: relay as string }, told)).toEqual(taken);
  });
});

describe("the relays of a host in its file", () => {
  it("are a single address as before, or a list, which one of its addresses stands for", async () => {
    using _home = testHome();
    await keepGroup(groupOf(["wss://a/relay"]));
    expect(hostRecord().relays).toEqual(["wss://a/relay"]);
    await keepGroup(groupOf(["wss://a/relay", "wss://b/relay"]));
    await keepGroup(groupOf(["wss://c/relay"]));
    await keepGroup(groupOf(["wss://b/relay"]));
    expect(hostRecord().relays).toEqual([["wss://a/relay", "wss://b/relay"], "wss://c/relay"]);
    await keepGroup(groupOf(["wss://c/relay", "wss://b/relay"]));
    expect(relayGroups()).toEqual([{ addresses: ["wss://c/relay", "wss://b/relay"], isTold: true }]);
  });

  it("are told in a form that takes nothing else", () => {
    const addresses = ["wss://a/relay", "wss://b/relay"];
    const payload = addressesPayload(addresses);
    expect([payload.length % 256, addressesIn(payload), addressesIn(new Uint8Array())]).toEqual([0, addresses, []]);
    for (const at of [0, 1, payload.length - 1]) {
      const wrong = payload.slice();
      wrong[at] = 9;
      expect(() => addressesIn(wrong)).toThrow();
    }
  });
});
