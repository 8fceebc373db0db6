import { connectHost, type RemoteClient } from "@scorel/host/client";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { Gateway } from "../../plugins/gateway/gateway.ts";
import { reachable } from "../../plugins/relay/client/dial.ts";
import { addDevice } from "../../plugins/relay/host/devices.ts";
import { groupOf } from "../../plugins/relay/host/relay-groups.ts";
import { RelayedHost } from "../../plugins/relay/host/relayed-host.ts";
import { nodeCrypto } from "../../plugins/relay/node-crypto.ts";
import type { BinarySocket } from "../../plugins/relay/peer/connection.ts";
import { dialHost } from "../../plugins/relay/peer/dial.ts";
import { base64url } from "../../plugins/relay/protocol/bytes.ts";
import { createIdentity, joinKeys } from "../../plugins/relay/protocol/identity.ts";
import { scratch } from "../e2e/scorel.ts";
import { eventually } from "../eventually.ts";
import { testHome, testHost } from "../plugins/host/home.ts";
import { grantFor } from "../plugins/relay/relays.ts";

/** `CLIENTS=1000` needs two processors with nothing else to do: all clients and hosts share this process. */
const clients = Number(process.env.CLIENTS ?? 200);
/** Connections that a host takes of one device, and routes of one host: below the limits of a host and of a relay. */
const [OF_DEVICE, OF_HOST] = [25, 1_000];
const BACK_MS = 10_000;

/** A relay with its own limits, which takes the word of a proxy for the address of a client: each has another one. */
async function serve(relay: ReturnType<typeof scratch>, port: string) {
  const running = relay.start(["relay", "serve", "--port", port, "--behind-proxy"], { open: true });
  const line = await running.line((each) => each.startsWith("The relay listens at "));
  return { running, address: line.split(" at ")[1] as string };
}

let connections = 0;
function fromAnywhere(address: string, protocol: string): BinarySocket {
  const from = ++connections;
  const headers = { "X-Forwarded-For": `10.${from >> 16}.${(from >> 8) & 255}.${from & 255}` };
  return new WebSocket(address, protocol, { headers, perMessageDeflate: false }) as unknown as BinarySocket;
}

it(`${clients} clients are back within 10 s after their relay was killed`, { timeout: 300_000 }, async () => {
  const [relay, home] = [scratch(), testHome()];
  let serving = await serve(relay, "0");
  const { address } = serving;
  const t = await testHost();
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const gateway = new Gateway({
    ...{ host: t.host, version: "1.0.0", logger: { info: () => {}, warn } },
    limits: { clients: 10_000, strangers: 10_000 },
  });
  const hosts = await Promise.all(
    Array.from({ length: Math.ceil(clients / OF_HOST) }, async () => {
      const identity = await createIdentity(nodeCrypto);
      const host = new RelayedHost({ gateway, identity, joined: () => {}, warn });
      await host.enter(groupOf([address]));
      return host;
    }),
  );
  const all: RemoteClient[] = [];
  try {
    for (let first = 0; first < clients; first += OF_DEVICE) {
      const device = await createIdentity(nodeCrypto);
      const id = base64url(device.id);
      await addDevice(device.publicKeys, { id, name: "device", scopes: ["view"], serial: "1" });
      const { identity } = hosts[Math.floor(first / OF_HOST)] as RelayedHost;
      const host = {
        ...{ id: base64url(identity.id), keys: base64url(joinKeys(identity.publicKeys)), name: "desk", relay: address },
        ...{ grant: base64url(await grantFor(identity, device)), scopes: ["view"], pairedAt: 1 },
      };
      const one = () =>
        connectHost({
          dial: () => dialHost({ host: reachable(host), identity: device, primitives: nodeCrypto, make: fromAnywhere }),
          version: "1.0.0",
        });
      all.push(...(await Promise.all(Array.from({ length: Math.min(OF_DEVICE, clients - first) }, one))));
    }
    serving.running.child.kill("SIGKILL");
    await serving.running.finished;
    await eventually(() => expect(all.some(({ state }) => state.state === "live")).toBe(false));
    serving = await serve(relay, new URL(address).port);
    const since = performance.now();
    await Promise.all(all.map((client) => client.request("list_sessions", {})));
    const took = performance.now() - since;
    console.log(`${clients} clients were back after ${Math.round(took)} ms`);
    expect(took).toBeLessThan(BACK_MS);
  } finally {
    for (const host of hosts) host.end();
    await Promise.all(all.map((client) => client.close()));
    await gateway.dismiss("the test ends", false);
    await t.kernel.stop();
    for (const each of [relay, home]) each[Symbol.dispose]();
  }
});
