import { connectHost, type RemoteClient } from "@scorel/host/client";
import { onTestFinished } from "vitest";
import { Gateway } from "../../../../plugins/gateway/gateway.ts";
import { dialPaired, pairedAddress } from "../../../../plugins/relay/client/dial.ts";
import { keepHost } from "../../../../plugins/relay/client/hosts.ts";
import { addDevice } from "../../../../plugins/relay/host/devices.ts";
import { homeIdentity } from "../../../../plugins/relay/host/identity.ts";
import { groupOf } from "../../../../plugins/relay/host/relay-groups.ts";
import { RelayedHost } from "../../../../plugins/relay/host/relayed-host.ts";
import { nodeCrypto } from "../../../../plugins/relay/node-crypto.ts";
import type { PeerRoute } from "../../../../plugins/relay/peer/route.ts";
import { base64url } from "../../../../plugins/relay/protocol/bytes.ts";
import { createIdentity, type Identity, joinKeys } from "../../../../plugins/relay/protocol/identity.ts";
import type { RelayLimits } from "../../../../plugins/relay/server/limits.ts";
import { testHome, testHost } from "../../host/home.ts";
import { grantFor, startRelay, type TestRelay } from "../relays.ts";
import { Meddler } from "./meddler.ts";

export interface Ground {
  meddler: Meddler;
  relay: TestRelay;
  host: RelayedHost;
  /** A client of the host that does not use the relay; it sees the effects of those that do. */
  inside: Awaited<ReturnType<typeof testHost>>["client"];
  cwd: string;
  device: Identity;
  grant: Uint8Array<ArrayBuffer>;
  warnings: string[];
  /** Handles routes of guests to this host. */
  joined(route: PeerRoute): void;
  /** Connects like the command does; `dials` returns the number of connection attempts. */
  connect(): Promise<{ client: RemoteClient; dials(): number }>;
}

/**
 * A real host with a gateway and a real client, paired, with a meddler as their relay. They share a home: the device
 * uses the home's own identity, and the host another one.
 */
export async function malicious({
  limits = {},
  plugins,
}: {
  limits?: Partial<RelayLimits>;
  plugins?: Parameters<typeof testHost>[0];
} = {}): Promise<Ground> {
  const home = testHome();
  onTestFinished(() => home[Symbol.dispose]());
  const t = await testHost(plugins);
  const warnings: string[] = [];
  const warn = (message: string, thrown?: unknown) => void warnings.push(`${message}: ${(thrown as Error)?.message}`);
  const gateway = new Gateway({ host: t.host, version: "1.0.0", logger: { info: () => {}, warn } });
  const meddler = await Meddler.start();
  const relay = await startRelay(limits, { names: [meddler.authority] });
  meddler.target = relay.address;

  const [device, identity] = [await homeIdentity(), await createIdentity(nodeCrypto)];
  const grant = await grantFor(identity, device);
  const id = base64url(device.id);
  await addDevice(device.publicKeys, { id, name: "laptop", scopes: ["view", "prompt", "approve"], serial: "1" });
  await keepHost({
    ...{ id: base64url(identity.id), keys: base64url(joinKeys(identity.publicKeys)), name: "desk" },
    ...{ relay: meddler.address, grant: base64url(grant), scopes: ["view", "prompt"], pairedAt: 1 },
  });
  const host = new RelayedHost({
    ...{ gateway, identity, warn },
    joined: (route) => ground.joined(route),
  });
  const clients: RemoteClient[] = [];
  onTestFinished(async () => {
    for (const client of clients) await client.close();
    host.end();
    await gateway.dismiss("the test ends", false);
    await t.kernel.stop();
  });
  await host.enter(groupOf([meddler.address]));
  const ground: Ground = {
    ...{ meddler, relay, host, device, grant, warnings },
    joined: (route) => route.close("refused"),
    ...{ inside: t.client, cwd: home.cwd },
    connect: async () => {
      let dials = 0;
      const client = await connectHost({
        dial: () => {
          dials++;
          return dialPaired(new URL(pairedAddress("desk")));
        },
        version: "1.0.0",
        patient: true,
        times: { firstRetry: 5, lastRetry: 20, ping: 20 },
      });
      clients.push(client);
      return { client, dials: () => dials };
    },
  };
  return ground;
}
