import { describe, expect, it } from "vitest";
import { addDevice } from "../../../plugins/relay/host/devices.ts";
import { Pairing } from "../../../plugins/relay/host/pairing-host.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { nodeSocket } from "../../../plugins/relay/peer/node-socket.ts";
import { joinHost } from "../../../plugins/relay/peer/pair.ts";
import { base64url } from "../../../plugins/relay/protocol/bytes.ts";
import { createIdentity } from "../../../plugins/relay/protocol/identity.ts";
import { testHome } from "../host/home.ts";
import { startRelay } from "./relays.ts";

/** A host that shows a code, and a guest that has just reached it. `outcome` is the guest's error. */
async function stage() {
  const relay = await startRelay();
  const host = await relay.host();
  const { place } = await host.connection.offer();
  const pairing = new Pairing(host.connection, place, { identity: host.identity, name: "desk" });
  const guest = {
    identity: await createIdentity(nodeCrypto),
    name: "laptop",
    primitives: nodeCrypto,
    make: nodeSocket,
  };
  const outcome = joinHost({ ...guest, code: pairing.code, relays: [relay.address], confirmed: () => {} }).then(
    () => undefined,
    ({ code, data }) => ({ code, data }),
  );
  return { host, pairing, outcome, route: await host.routes.next() };
}

describe("a code that has ended", () => {
  it("refuses the guest about which the host's user has been asked", async () => {
    const { pairing, outcome, route } = await stage();
    pairing.join(route);
    expect(await pairing.follow("waiting")).toMatchObject({ state: "asked" });
    pairing.end("its time is over");
    expect(await outcome).toEqual({ code: "RELAY_DECLINED", data: {} });
  });

  it("is not waited for when the host has lost its relay, and the guest is told that the host has left", async () => {
    const { host, pairing, outcome } = await stage();
    host.connection.close();
    expect(pairing.state).toEqual({ state: "ended", reason: "the connection with the relay was lost" });
    expect(await outcome).toEqual({ code: "RELAY_CODE_ENDED", data: { reason: "the host has left the relay" } });
  });

  it("says the same of a relay that is lost while the host's user is asked", async () => {
    const { host, pairing, outcome, route } = await stage();
    pairing.join(route);
    await pairing.follow("waiting");
    host.connection.close();
    expect(pairing.state).toEqual({ state: "ended", reason: "the connection with the relay was lost" });
    expect(await outcome).toMatchObject({ code: "RELAY_CODE_ENDED" });
  });

  it("also ends when the device cannot be added, and refuses its guest", async () => {
    using _home = testHome();
    const { host, pairing, outcome, route } = await stage();
    const keys = host.identity.publicKeys;
    const idOf = (count: number) => base64url(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? count : 1)));
    for (let count = 0; count < 200; count++)
      await addDevice(keys, { id: idOf(count), name: `phone ${count}`, scopes: ["view"], serial: "1" });
    pairing.join(route);
    await pairing.follow("waiting");
    await expect(pairing.answer(true, ["view"])).rejects.toMatchObject({ code: "RELAY_MANY" });
    expect(pairing.state).toEqual({ state: "ended", reason: "the device could not be added" });
    expect(await outcome).toMatchObject({ code: "RELAY_DECLINED" });
  });
});
