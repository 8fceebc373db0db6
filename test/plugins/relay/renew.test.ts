import { connectHost } from "@scorel/host/client";
import { definePlugin } from "@scorel/kernel";
import { expect, it, onTestFinished } from "vitest";
import { Gateway } from "../../../plugins/gateway/gateway.ts";
import { dialPaired, reachable } from "../../../plugins/relay/client/dial.ts";
import { keepHost, pairedHosts } from "../../../plugins/relay/client/hosts.ts";
import { addDevice } from "../../../plugins/relay/host/devices.ts";
import { grantAnew } from "../../../plugins/relay/host/grants.ts";
import { homeIdentity } from "../../../plugins/relay/host/identity.ts";
import { groupOf } from "../../../plugins/relay/host/relay-groups.ts";
import { RelayedHost } from "../../../plugins/relay/host/relayed-host.ts";
import type { RelayService } from "../../../plugins/relay/host/service.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { operations } from "../../../plugins/relay/operations.ts";
import { nodeSocket } from "../../../plugins/relay/peer/node-socket.ts";
import { endsSoon, renewedGrant } from "../../../plugins/relay/peer/renew.ts";
import { base64url, fromBase64url } from "../../../plugins/relay/protocol/bytes.ts";
import { readGrant } from "../../../plugins/relay/protocol/grants.ts";
import { createIdentity, joinKeys } from "../../../plugins/relay/protocol/identity.ts";
import type { Bytes } from "../../../plugins/relay/protocol/primitives.ts";
import { echoAgent, testHome, testHost } from "../host/home.ts";
import { grantFor, startRelay } from "./relays.ts";

const DAY = 24 * 60 * 60;
const inDays = (days: number) => BigInt(Math.floor(Date.now() / 1_000) + days * DAY);

/**
 * A host and the device of this home, whose grant ends in this many days. `give` makes the grants that the host issues.
 */
async function paired(days: number, give = grantAnew) {
  const home = testHome();
  onTestFinished(() => home[Symbol.dispose]());
  const [device, identity, relay] = [await homeIdentity(), await createIdentity(nodeCrypto), await startRelay()];
  const asked: string[] = [];
  const service = {
    renew: (id: string) => {
      asked.push(id);
      return give(identity, id);
    },
  };
  const relayed = definePlugin({
    ...{ id: "relay", name: "Relay", version: "1.0.0" },
    operations: () => ({ renew_grant: operations(async () => service as unknown as RelayService).renew_grant }),
  });
  const t = await testHost([echoAgent], [], [relayed]);
  const logger = { info: () => {}, warn: () => {} };
  const gateway = new Gateway({ host: t.host, version: "1.0.0", logger });
  const host = new RelayedHost({ gateway, identity, joined: () => {}, warn: () => {} });
  onTestFinished(async () => {
    host.end();
    await gateway.dismiss("the test ends", false);
    await t.kernel.stop();
  });
  await host.enter(groupOf([relay.address]));
  await addDevice(device.publicKeys, { id: base64url(device.id), name: "laptop", scopes: ["view"], serial: "7" });
  const grant = await grantFor(identity, device, 7n, inDays(days));
  const kept = await keepHost({
    ...{ id: base64url(identity.id), keys: base64url(joinKeys(identity.publicKeys)), name: "desk", pairedAt: 1 },
    ...{ relay: relay.address, grant: base64url(grant), scopes: ["view"] },
  });
  const options = { host: reachable(kept), identity: device, primitives: nodeCrypto, make: nodeSocket };
  const connect = async () => {
    const client = await connectHost({ dial: () => dialPaired(new URL(`relay:${kept.id}`)), version: "1.0.0" });
    onTestFinished(() => client.close());
    return client;
  };
  return { device, identity, grant, asked, options, connect };
}

const stored = () => fromBase64url((pairedHosts()[0] as { grant: string }).grant) as Bytes;

it("a device that may only read gets a new grant while the old one is still valid, with the same number", async () => {
  const { device, grant, asked, connect } = await paired(20);
  expect(endsSoon(grant, Date.now())).toBe(true);
  await connect();
  await expect.poll(() => endsSoon(stored(), Date.now())).toBe(false);
  expect(await readGrant(nodeCrypto, stored())).toMatchObject({ serial: 7n, clientId: device.id });
  await connect();
  expect(asked).toEqual([base64url(device.id)]);
});

it("a grant that is still valid for long is not renewed", async () => {
  const { grant, asked, connect } = await paired(200);
  const client = await connect();
  await client.request("ping", {});
  expect([asked, stored()]).toEqual([[], grant]);
});

it("a grant that would not let this device in is not accepted", async () => {
  const other = await createIdentity(nodeCrypto);
  const given: (typeof grantAnew)[] = [
    // A grant for another client, one of another host, and an invalid one.
    async (identity) => ({ grant: base64url(await grantFor(identity, other)) }),
    async (_, id) => ({ grant: base64url(await grantFor(other, { ...other, id: fromBase64url(id) as Bytes })) }),
    async () => ({ grant: "AAAA" }),
  ];
  for (const give of given) {
    const { options, grant, connect } = await paired(20, give);
    await expect(renewedGrant(options)).rejects.toMatchObject({ code: "RELAY_GRANT" });
    await (await connect()).request("ping", {});
    expect(stored()).toEqual(grant);
  }
});

it("nobody gets a grant for a device that is not paired", async () => {
  const { connect } = await paired(200);
  const client = await connect();
  const stranger = base64url((await createIdentity(nodeCrypto)).id);
  await expect(client.request("renew_grant", { device: stranger })).rejects.toMatchObject({ code: "RELAY_NOT_PAIRED" });
});
