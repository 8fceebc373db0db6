import { expect, it } from "vitest";
import { hostNamed, keepHost, type PairedHost, renameHost } from "../../../plugins/relay/client/hosts.ts";
import { addDevice, changeDevice, deviceNamed, fingerprintOf } from "../../../plugins/relay/host/devices.ts";
import { nodeCrypto } from "../../../plugins/relay/node-crypto.ts";
import { base64url } from "../../../plugins/relay/protocol/bytes.ts";
import { GRANT_BYTES } from "../../../plugins/relay/protocol/grants.ts";
import { createIdentity, joinKeys } from "../../../plugins/relay/protocol/identity.ts";
import { testHome } from "../host/home.ts";

it("no two devices have the same name, and a fingerprint means its own device, whatever others are called", async () => {
  using _home = testHome();
  const identities = [await createIdentity(nodeCrypto), await createIdentity(nodeCrypto)];
  const [phone, laptop] = identities.map(({ id }) => base64url(id)) as [string, string];
  const names = [fingerprintOf(laptop), "laptop"];
  for (const [at, { id, publicKeys }] of identities.entries())
    await addDevice(publicKeys, { id: base64url(id), name: names[at] as string, scopes: ["view"], serial: "1" });
  expect(deviceNamed(fingerprintOf(laptop)).id).toBe(laptop);
  expect(await changeDevice(phone, { name: "laptop" })).toMatchObject({ id: phone, name: "laptop 2" });
  expect(await changeDevice(laptop, { name: "laptop" })).toMatchObject({ id: laptop, name: "laptop" });
  expect(await changeDevice(laptop, { scopes: ["prompt"] })).toMatchObject({ name: "laptop", scopes: ["prompt"] });
});

it("the same is true of hosts", async () => {
  using _home = testHome();
  const paired = async (name: string): Promise<PairedHost> => {
    const { id, publicKeys } = await createIdentity(nodeCrypto);
    const keys = base64url(joinKeys(publicKeys));
    const grant = base64url(new Uint8Array(GRANT_BYTES));
    return { id: base64url(id), keys, name, relay: "wss://relay.example/relay", grant, scopes: ["view"], pairedAt: 1 };
  };
  const desk = await paired("desk");
  const build = await keepHost(await paired(fingerprintOf(desk.id)));
  await keepHost(desk);
  expect(hostNamed(fingerprintOf(desk.id)).id).toBe(desk.id);
  expect(await renameHost(build.id, "desk")).toMatchObject({ id: build.id, name: "desk 2" });
});
